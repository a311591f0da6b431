"""Names and versions that machines and programs give of themselves, in signs that mean nothing to a page or a table."""

import re
from typing import Any

WORD = r"^[A-Za-z0-9][A-Za-z0-9 .,:;@/+_()=%~-]{0,199}$"
"""A name or a version."""
_OTHER = re.compile(r"[^A-Za-z0-9 .,:;@/+_()=%~-]")
_MEANING = re.compile(r"""[<>&"'`\[\]{}\\|\x00-\x1f\x7f]""")
_LONGEST = 500


def plain(name: str) -> str:
    """A name with a space for every other sign, as WORD has it; "" where nothing is left."""
    return " ".join(_OTHER.sub(" ", name).split()).lstrip(" .,:;@/+_()=%~-")[:200].rstrip()


def told(value: Any) -> Any:
    """The same value; ValueError for a text that is long or has a sign that pages or shells take for their own."""
    if isinstance(value, str) and (len(value) > _LONGEST or _MEANING.search(value)):
        raise ValueError(f"a text may have up to {_LONGEST} characters and none of <>&\"'`[]{{}}\\|")
    return value
