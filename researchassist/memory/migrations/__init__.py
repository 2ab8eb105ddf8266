"""Migrations of every table."""
