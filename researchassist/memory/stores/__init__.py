"""One file a store. Only `manager.MemoryManager` uses them."""
