"""Where a reader reports an error of a page: a new issue of the book's repository that says which page it is."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit


def address(repository: str, page: str, title: str, state: str) -> str:
    """The form for a new issue, with the page and the state of the book filled in; "" without a repository.

    repository: its address, as in _config.yml. page: as in the table of contents. title: of the page, in words.
    state: version and data, in words.
    """
    parts = urlsplit(repository)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    base = repository.rstrip("/").removesuffix(".git")
    subject = f"Error on the page “{title}”" if title else f"Error on the page {page}"
    body = f"Page: {page}\nBook: {state}\n\nWhat is wrong, and how do you know?\n\n"
    if "gitlab" in parts.hostname:
        return f"{base}/-/issues/new?{urlencode({'issue[title]': subject, 'issue[description]': body})}"
    return f"{base}/issues/new?{urlencode({'title': subject, 'body': body})}"
