"""The book's contents as ``_toc.yml`` has them: the questions, and the experiments below each."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
LEADS = {
    chapter["file"]: [section["file"].rpartition("/")[2] for section in chapter["sections"]]
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    for chapter in part["chapters"]
    if "sections" in chapter
}
"""By the page of a question the experiments below it."""
