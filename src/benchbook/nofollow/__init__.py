"""Files and folders that another may have put there: opened, read, handed over, copied, removed; no link is followed.

Root goes by path in folders of its own, where nobody else can put anything. What lies in a folder of a server's account
may be a link, a pipe or something else a moment after it was looked at; there only these functions go.
"""

from benchbook.nofollow.copying import mirror
from benchbook.nofollow.handing import hand_over, let_read, let_through, made_over
from benchbook.nofollow.locking import is_at, is_free, is_locked, locked, remove_lock
from benchbook.nofollow.opening import entered, files_below, opened, text
from benchbook.nofollow.reading import (
    DATA,
    PUBLISHED,
    RUN,
    TEXT_BYTES,
    content,
    is_folder,
    reading,
    rows,
    sha256,
    words,
)
from benchbook.nofollow.removing import empty, passes_by_itself

__all__ = [
    "DATA", "PUBLISHED", "RUN", "TEXT_BYTES", "content", "empty", "entered", "files_below", "hand_over", "is_at",
    "is_folder", "is_free", "is_locked", "let_read", "let_through", "locked", "made_over", "mirror", "opened",
    "passes_by_itself", "reading", "remove_lock", "rows", "sha256", "text", "words",
]  # fmt: skip
