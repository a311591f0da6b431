"""Which machine this is: an id that tells it from others, and neither names it nor leads back to what it is made from.

It is made from the id that the system gave the installation, as systemd's sd_id128_get_machine_app_specific does it:
another program's id of the same machine is another one, and the system's own does not follow from either. Where the
system has none, as in many containers, a random one is kept in the user's folder for state.

Its limits: copies of one disk image, and containers that were given the same /etc/machine-id, have one id; a system
that was installed again, and a container without a folder that stays, have a new one. So one id may be several
machines, and two ids may be one.
"""

import hmac
import os
import re
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

SYSTEM = Path("/etc/machine-id")
OWN = Path("benchbook") / "machine-id"
"""Below the user's folder for state: what stands for the system's id where there is none."""
_PROGRAM = b"benchbook: which machine measured a run"
_ID = re.compile(r"[0-9a-f]{32}")


def machine_id() -> str | None:
    """16 hex digits that stay the same on this machine; None where nothing can be kept on it."""
    known = _read(SYSTEM) or _own()
    return hmac.digest(bytes.fromhex(known), _PROGRAM, "sha256").hex()[:16] if known else None


def _own() -> str | None:
    """The id that is kept where the system has none; made when it is first asked for."""
    try:
        named = os.environ.get("XDG_STATE_HOME", "")  # as the XDG Base Directory Specification has it
        path = (Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "state") / OWN
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (found := _read(path)):
            _keep(path, secrets.token_hex(16))
            found = _read(path)
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return None
    return found


def _keep(path: Path, text: str) -> None:
    """Write it, whole or not at all; what another process has written just before stays, if it is an id."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(name, path)
        except FileExistsError:
            if not _read(path):
                Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()


def _read(path: Path) -> str | None:
    """The id in a file; None where there is none, or one that says that the system has not been set up yet."""
    try:
        with path.open(encoding="ascii") as file:
            found = file.read(64).strip().replace("-", "").lower()
    except (OSError, UnicodeDecodeError):
        return None
    return found if _ID.fullmatch(found) and found.strip("0") else None
