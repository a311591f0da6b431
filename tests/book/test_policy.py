"""Which scripts the pages of a book may run, by the policy that each states."""

import base64
import hashlib

from bs4 import BeautifulSoup

from benchbook.book.parts import policy

PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8" />
<script data-cfasync="false">
  first()
</script>
<script src="_static/a.js"></script>
</head>
<body>
<button onclick="ask(&#34;it&#34;)">Ask</button>
<article class="bd-article">{shown}</article>
<script>last();</script>
</body>
</html>
"""
DATA = '<script type="application/json" id="x">{"a": 1}</script>'


def stated(page: str) -> dict[str, list[str]]:
    [meta] = BeautifulSoup(page, "html.parser").select('meta[http-equiv="Content-Security-Policy"]')
    parts = [part.split() for part in str(meta["content"]).split(";")]
    return {name: values for name, *values in parts}


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_files_of_the_book_and_the_lines_around_what_a_page_shows_may_run_and_nothing_else() -> None:
    found = stated(policy.added(PAGE.format(shown=DATA)))
    lines = [hashed("\n  first()\n"), hashed("last();")]
    assert found["script-src"] == ["'self'", "file:", *lines, "'unsafe-hashes'", hashed('ask("it")')]
    assert found["object-src"] == found["frame-src"] == found["base-uri"] == ["'none'"]
    for values in found.values():
        assert "'unsafe-eval'" not in values
    assert not [name for name, values in found.items() if "'unsafe-inline'" in values and name != "style-src"]


def test_a_script_in_what_a_page_shows_has_no_hash_and_is_told_wherever_it_claims_to_stand() -> None:
    planted = "<script>planted()</script>"
    for shown in (planted, f"</article>{planted}<article>", f"<SCRIPT\n>planted()</SCRIPT >{DATA}"):
        page = policy.added(PAGE.format(shown=shown))
        assert stated(page)["script-src"] == stated(policy.added(PAGE.format(shown="")))["script-src"]
        [told] = policy.foreign(page)
        assert told.lower().startswith("<script")
    assert policy.foreign(PAGE.format(shown=DATA)) == []


def test_the_policy_stands_before_every_script_and_after_the_encoding() -> None:
    page = policy.added(PAGE.format(shown=""))
    assert page.index("charset") < page.index("Content-Security-Policy") < page.index("<script")


def test_a_page_that_only_leads_to_another_stays_as_it_is() -> None:
    page = '<meta http-equiv="Refresh" content="0; url=book/index.html" />'
    assert policy.added(page) == page


def test_one_file_runs_its_own_scripts_and_asks_nobody() -> None:
    found = stated(policy.of_one_file(["\na();\n", "\nb();\n"]))
    assert found["script-src"] == [hashed("\na();\n"), hashed("\nb();\n")]
    assert found["default-src"] == ["'none'"]
