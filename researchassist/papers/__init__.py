"""Bytes and ids in, text and metadata out; never stores, never asks a model."""
