"""Which scripts a page may run: the book's own files, and the theme's few lines around what a page shows.

What a page shows is made of data too, and never holds a script that runs. So the lines that the theme puts around it
are allowed by their hashes, and the browser runs nothing else: no other script, no ``onerror``, no ``javascript:``.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from html import unescape

_SHOWN = re.compile(r"<article\b.*</article>", re.DOTALL | re.IGNORECASE)
"""What a page shows, to the last end of one: no text of its own ends it."""
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script\b[^>]*>", re.DOTALL | re.IGNORECASE)
_OPENED = re.compile(r"<script\b([^>]*)>", re.IGNORECASE)
_FILE = re.compile(r"\ssrc\s*=", re.IGNORECASE)
_DATA = re.compile(r"""\stype\s*=\s*["']application/(?:ld\+)?json["']""", re.IGNORECASE)
"""What a script element is that holds data: it never runs, so it needs no hash."""
_HANDLER = re.compile(r"""<button\b[^>]*?\sonclick="([^"]*)\"""", re.IGNORECASE)
_HEAD = re.compile(r"<head\b[^>]*>(?:\s*<meta charset=[^>]*>)?", re.IGNORECASE)
_BESIDE = ("'self'", "file:")
"""The book's own files. Of a page that was opened from a folder not every browser takes a file for its own."""
_MADE_HERE = ("data:", "blob:")
"""Pictures and files that a page makes itself."""


def foreign(page: str) -> list[str]:
    """Beginnings of the scripts that stand among what a page shows and would run; a browser refuses them."""
    shown = _SHOWN.search(page)
    found = _OPENED.finditer(shown[0]) if shown else iter(())
    return [match[0] for match in found if not _DATA.search(match[1])]


def added(page: str) -> str:
    """A page of the book with its policy at the beginning of its head; one without a head has no script either."""
    around = _SHOWN.sub("", page)
    scripts = _SCRIPT.findall(around)
    own = [text for attributes, text in scripts if not (_FILE.search(attributes) or _DATA.search(attributes))]
    policy = _policy(own, map(unescape, _HANDLER.findall(around)), _BESIDE)
    return _HEAD.sub(lambda match: f"{match[0]}\n{policy}", page, count=1)


def of_one_file(scripts: Iterable[str]) -> str:
    """The policy of a page that holds all of its scripts itself, as the element that states it."""
    return _policy(scripts, (), ())


def _policy(scripts: Iterable[str], handlers: Iterable[str], files: tuple[str, ...]) -> str:
    """The element that states a policy. scripts, handlers: the texts that may run. files: where others may lie."""
    clicked = [*_hashes(handlers)]
    parts = {
        "default-src": files,
        "script-src": (*files, *_hashes(scripts), *(("'unsafe-hashes'", *clicked) if clicked else ())),
        "style-src": (*files, "'unsafe-inline'"),
        "img-src": (*files, *_MADE_HERE),
        "font-src": (*files, *_MADE_HERE),
        "form-action": files,
        "frame-src": (),
        "object-src": (),
        "base-uri": (),
    }
    policy = "; ".join(" ".join((name, *(values or ("'none'",)))) for name, values in parts.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{policy}">'


def _hashes(texts: Iterable[str]) -> Iterator[str]:
    """Each once, as browsers compute them."""
    for text in dict.fromkeys(texts):
        yield f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
