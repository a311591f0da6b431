"""An edition as an RO-Crate: what it holds, how it is described, written and read."""
