"""Files that a page refers to, put into the page itself: styles, scripts, pictures, tables."""

import base64
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchbook.errors import BenchbookError

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}
"""Of the files that a page may hold; what is not listed is plain text."""

_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']([^"']+)["']\s*\)?\s*;""")
# A picture that a style holds already may itself say url(#...), written as %23.
_URL = re.compile(r"""url\(\s*(["']?)(?!data:|https?:|//|#|%23)([^"')]+)\1\s*\)""")
_OLDER_FONTS = (".ttf", ".eot")
"""Every browser that reads the book takes the woff2 that the theme names beside them."""


def address(page: str, link: str) -> str:
    """What a relative link on a page names, seen from the book's top folder; without query and fragment.

    page: the page's own path from that folder. An empty path is the page itself.
    """
    path = unquote(urlsplit(link).path)
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page


def is_elsewhere(link: str) -> bool:
    """Whether a link leads out of the book: it names a scheme or a host."""
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def read(folder: Path, path: str, page: str) -> bytes:
    """A file of the rendered book; raises BenchbookError that names the page which refers to it."""
    file = folder / path
    if path.startswith("../") or not file.is_file():
        raise BenchbookError(f"{page} refers to {path}, which is not in the rendered book", "build the book again")
    return file.read_bytes()


def data_uri(path: str, content: bytes) -> str:
    """The content as an address of its own. path: its ending gives the type."""
    kind = MEDIA_TYPES.get(posixpath.splitext(path)[1].lower(), "text/plain")
    charset = ";charset=utf-8" if kind.startswith("text/") else ""
    return f"data:{kind}{charset};base64,{base64.b64encode(content).decode()}"


def style(folder: Path, path: str) -> str:
    """A style sheet with everything that it imports and shows. Raises BenchbookError when a file is missing."""
    text = read(folder, path, "a page").decode()

    def imported(match: re.Match[str]) -> str:
        return style(folder, address(path, match[1]))

    def shown(match: re.Match[str]) -> str:
        name = address(path, match[2])
        if name.lower().endswith(_OLDER_FONTS):
            return "url(data:,)"
        return f"url({data_uri(name, read(folder, name, path))})"

    return _URL.sub(shown, _IMPORT.sub(imported, text))


def script(folder: Path, path: str) -> str:
    """A script that may stand inside a page: nothing in it ends or changes the element around it."""
    text = read(folder, path, "a page").decode().replace("\r\n", "\n").replace("\r", "\n")  # as browsers read it
    text = re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"</(?=script)", r"<\\/", text, flags=re.IGNORECASE).replace("<!--", "<\\!--")
