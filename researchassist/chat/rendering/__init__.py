"""How Markdown becomes HTML, part by part; markdown.py beside this folder is the door."""
