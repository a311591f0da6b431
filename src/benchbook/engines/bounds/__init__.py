"""A limit on the memory of the server's processes, page cache included; the machine itself keeps what it has."""

from benchbook.engines.bounds.groups import remove_leftovers
from benchbook.engines.bounds.memory import Memory, MemoryBound, memory

__all__ = ["Memory", "MemoryBound", "memory", "remove_leftovers"]
