"""pip's settings in (environment, pip.conf), shell exports of the same settings for uv out.

uv reads no pip.conf and no PIP_* variable. A variable of uv's own that is already set wins. Standard library only:
this runs before anything is installed.
"""

from __future__ import annotations

import configparser
import os
import shlex
import sys
from pathlib import Path


def configuration_files() -> list[Path]:
    """pip's files, weakest first, as ``pip config debug`` lists them."""
    named = os.environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    home = Path(os.environ.get("HOME", "/nonexistent"))
    shared = os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    folders = [Path(folder) / "pip" for folder in reversed(shared.split(os.pathsep))]
    if sys.platform == "darwin":
        folders.append(Path("/Library/Application Support/pip"))
    folders += [Path("/etc"), home / ".pip"]
    if sys.platform == "darwin":
        folders.append(home / "Library/Application Support/pip")
    folders += [Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip", Path(sys.prefix)]
    return [folder / "pip.conf" for folder in folders] + ([Path(named)] if named else [])


def pip_settings() -> dict[str, str]:
    """Setting name -> value; the environment beats files, [install] beats [global]."""
    parser = configparser.RawConfigParser()
    for file in configuration_files():
        try:
            parser.read(file)
        except (configparser.Error, OSError, UnicodeDecodeError):
            print(f"setup: {file} cannot be read; its settings do not reach uv", file=sys.stderr)
    settings: dict[str, str] = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            settings |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    for name, value in os.environ.items():
        if name.startswith("PIP_") and value:
            settings[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return settings


def uv_variables(settings: dict[str, str]) -> dict[str, str]:
    """The same settings under uv's names; what only pip knows is left out."""
    variables = {
        "UV_DEFAULT_INDEX": settings.get("index-url"),
        "UV_INDEX": settings.get("extra-index-url"),
        "UV_INSECURE_HOST": settings.get("trusted-host"),
        "UV_HTTP_TIMEOUT": settings.get("timeout", settings.get("default-timeout")),
        "SSL_CERT_FILE": settings.get("cert"),
        "SSL_CLIENT_CERT": settings.get("client-cert"),
        "ALL_PROXY": settings.get("proxy"),
    }
    # pip only warns about a folder that is not there; uv stops.
    links = [place for place in settings.get("find-links", "").split() if "://" in place or Path(place).exists()]
    variables["UV_FIND_LINKS"] = ",".join(links)
    if settings.get("no-index", "").lower() in {"1", "true", "yes", "on"}:
        variables["UV_NO_INDEX"] = "1"
    # uv stops at the first index that knows a package; pip asks all. Hashes are locked, so any index will do.
    if variables["UV_INDEX"]:
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return {name: " ".join(value.split()) for name, value in variables.items() if value}


if __name__ == "__main__":
    for name, value in uv_variables(pip_settings()).items():
        if not os.environ.get(name):
            print(f"export {name}={shlex.quote(value)}")
