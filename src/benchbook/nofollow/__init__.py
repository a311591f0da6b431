"""Files and folders of another account: opened, handed over, copied and removed without ever following a link of its.

Root goes by path in folders of its own, where nobody else can put anything. What lies in a folder of a server's account
may be a link, a pipe or something else a moment after it was looked at; there only these functions go.
"""

from benchbook.nofollow.copying import mirror
from benchbook.nofollow.handing import hand_over, let_read, let_through, made_over
from benchbook.nofollow.opening import entered, files_below, opened, text
from benchbook.nofollow.removing import empty, passes_by_itself

__all__ = [
    "empty",
    "entered",
    "files_below",
    "hand_over",
    "let_read",
    "let_through",
    "made_over",
    "mirror",
    "opened",
    "passes_by_itself",
    "text",
]
