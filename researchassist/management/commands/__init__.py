"""Commands for the terminal, one file each."""
