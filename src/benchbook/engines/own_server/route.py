"""How far away a server is, in words that name nobody."""

from __future__ import annotations

import ipaddress

from benchbook.engines.own_server.service import Connection


def route(connection: Connection) -> str:
    """A socket of this machine, its loopback, a private network, or a public address."""
    if connection.info.host.startswith(("/", "@")):
        return "a socket of this machine"
    try:
        address = ipaddress.ip_address(connection.info.hostaddr)
    except ValueError:
        return "a network"
    if address.is_loopback:
        return "the loopback of this machine"
    return "a private network" if address.is_private else "a public address"
