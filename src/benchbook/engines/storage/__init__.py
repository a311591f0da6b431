"""Storage that can be slow: volumes of our own, capped in operations and bytes, certified, and delays of PostgreSQL."""
