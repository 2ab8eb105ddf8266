"""The product as its user runs it: a real server process, killed and started again."""
