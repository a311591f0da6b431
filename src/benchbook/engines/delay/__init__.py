"""A round trip added between a client and a server on one machine, by a proxy that delays both directions."""

from benchbook.engines.delay.certificate import Certificate
from benchbook.engines.delay.program import find, identity, version
from benchbook.engines.delay.proxy import LONGEST_MS, Proxy, proxied

__all__ = ["LONGEST_MS", "Certificate", "Proxy", "find", "identity", "proxied", "version"]
