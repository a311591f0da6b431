"""Figures and executed chapters as a build finds them."""

from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import plotly.graph_objects as go

from benchbook.figures import Figure


def figure(identity: str, run: str, title: str = "Two arms", caption: str = "Latency by cache, in ms. More.") -> Figure:
    """A figure with everything that a figure needs."""
    data = pd.DataFrame({"arm": ["a", "b"], "p99 (ms)": [0.1 + 0.2, None], "n": [1, 2]})
    plot = go.Figure(go.Scatter(x=[1], y=[2]))
    return Figure(identity, caption, "Alt.", plot, data, run, "Student t", title=title)


def chapter(folder: Path, name: str, *shown: Any) -> Path:
    """An executed chapter that shows these, as notebooks show them."""
    cells: list[Any] = [nbformat.v4.new_markdown_cell(f"# About {name}")]
    for each in shown:
        output = nbformat.v4.new_output("display_data", data=each._repr_mimebundle_())
        cells.append(nbformat.v4.new_code_cell("", outputs=[output]))
    path = folder / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path
