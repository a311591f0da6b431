"""Published numbers come out again where nothing of the package computes them, and a planted difference is found."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import recipes

AUDIT = Path(__file__).with_name("audit.py")


def audited(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, AUDIT, path], capture_output=True, text=True, check=False, timeout=300)


def test_published_numbers_come_out_again_without_the_package(tmp_path: Path) -> None:
    found = recipes.every()
    path = tmp_path / "recipes.json"
    path.write_text(json.dumps(found))
    result = audited(path)
    assert result.returncode == 0, result.stdout + result.stderr
    count, left = (int(line.split()[0]) for line in result.stdout.splitlines()[:2])
    assert count > 4 * left, "most numbers are made by the algebra"

    found[0]["numbers"][0]["low"] *= 1 + 1e-6
    path.write_text(json.dumps(found[:1]))
    result = audited(path)
    assert result.returncode == 1
    assert f"{found[0]['chapter']}.{found[0]['numbers'][0]['name']} is off by 1e-06" in result.stdout


def test_it_imports_nothing_of_the_package() -> None:
    tree = ast.parse(AUDIT.read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in imported if name.startswith("benchbook")}
    assert len(AUDIT.read_text().splitlines()) <= 300
