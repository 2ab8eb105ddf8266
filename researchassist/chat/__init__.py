"""The chat page: HTTP, templates and server-sent events. No rules, no tables."""
