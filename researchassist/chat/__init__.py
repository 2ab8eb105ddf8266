"""HTTP, templates and server-sent events: no rules, no writes of its own."""
