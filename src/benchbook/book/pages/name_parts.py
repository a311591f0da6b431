"""The search finds a name by its parts too: a page that has pg_prewarm is one on prewarm."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish


class Words(SearchEnglish):
    """English, whose words include the parts of names with ``_``; what a reader types stays one word."""

    def split(self, input: str) -> list[str]:
        """The words of a text, each name followed by its parts."""
        return [part for word in super().split(input) for part in dict.fromkeys([word, *word.split("_")]) if part]


def add_to(app: Sphinx) -> None:
    """Index pages so."""
    app.add_search_language(Words)
