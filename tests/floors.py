"""The floors of the package as a picture, from the contract of imports: `python -m tests.floors` writes it into
docs/architecture.md."""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- floors -->\n", "<!-- end of floors -->\n"


def floors() -> list[list[str]]:
    """Packages and modules of each floor, the highest first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["containers"] == ["benchbook"])
    rows = ([name.strip().strip("()") for name in row.split("|")] for row in layers)
    return [found for row in rows if (found := [name for name in row if _path(name) is not None])]


def _path(name: str) -> Path | None:
    package = ROOT / "src" / "benchbook"
    return next((each for each in (package / name / "__init__.py", package / f"{name}.py") if each.is_file()), None)


def said(name: str) -> str:
    """What a package or module says of itself first."""
    path = _path(name)
    assert path is not None
    words = ast.get_docstring(ast.parse(path.read_text())) or ""
    return words.splitlines()[0].rstrip(".").replace('"', "'") if words else name


def picture() -> str:
    """The floors as a Mermaid diagram, then what stands on them as a table."""
    rows = floors()
    lines = ["```mermaid", "flowchart TB"]
    for number, row in enumerate(rows):
        lines.append(f'  f{number}["{" · ".join(row)}"]')
    lines += [f"  f{number} --> f{number + 1}" for number in range(len(rows) - 1)] + ["```", ""]
    lines += ["| floor | package | what it is |", "|---|---|---|"]
    lines += [f"| {len(rows) - number} | `{name}` | {said(name)} |" for number, row in enumerate(rows) for name in row]
    return "\n".join(lines) + "\n"


def written(text: str) -> str:
    """A page with the picture of today."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{picture()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
