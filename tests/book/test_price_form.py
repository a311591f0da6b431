"""The form for one's own prices: hidden until its script has filled it, and nothing of it outside of web pages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import price_form


def test_the_form_is_hidden_until_its_script_shows_it() -> None:
    writer: Any = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        price_form.visit_html(writer, price_form.PriceForm())
    [form] = writer.body
    assert " hidden " in form
    assert 'aria-label="' in form
    assert 'role="status" aria-live="polite"' in form


@pytest.mark.parametrize("has_form", [True, False])
def test_its_script_is_loaded_by_the_page_that_has_it_alone(has_form: bool) -> None:
    loaded: list[str] = []
    app: Any = SimpleNamespace(add_js_file=lambda name, **how: loaded.append(name))
    document = new_document("page")
    if has_form:
        document += price_form.PriceForm()
    price_form.load_script(app, "page", "page.html", {}, document)
    assert loaded == ([price_form.SCRIPT] if has_form else [])


def test_a_page_that_is_no_text_loads_nothing() -> None:
    price_form.load_script(SimpleNamespace(), "genindex", "genindex.html", {}, None)  # type: ignore[arg-type]
