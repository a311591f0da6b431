"""Which static drawing of a figure counts: one of the data that it shows today, of an edition or of a build."""

from pathlib import Path

import pytest

from benchbook.book.parts import figure_files

FIGURE = {"id": "fig-a", "data_sha256": "a" * 64}


@pytest.mark.parametrize("folder", figure_files.FOLDERS)
def test_a_drawing_of_todays_data_is_shown(tmp_path: Path, folder: Path) -> None:
    assert figure_files.picture(tmp_path, FIGURE) == ""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "fig-a.svg").write_text("<svg/>")
    assert figure_files.picture(tmp_path, FIGURE) == "", "nobody knows of which data it is"
    note = tmp_path / folder / "fig-a.sha256"
    note.write_text(f"{'a' * 64}  data of fig-a\n")
    assert figure_files.picture(tmp_path, FIGURE) == "figures/fig-a.svg"
    assert figure_files.picture(tmp_path, FIGURE | {"address": "figures/2026.1"}) == "figures/2026.1/fig-a.svg"
    assert figure_files.exports(tmp_path, FIGURE) == {"svg": tmp_path / folder / "fig-a.svg"}
    note.write_text(f"{'b' * 64}  data of fig-a\n")
    assert figure_files.picture(tmp_path, FIGURE) == ""
