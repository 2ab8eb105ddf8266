"""The seven memory stores behind one door, `manager.MemoryManager`; never asks a language model."""
