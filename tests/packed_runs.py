"""Runs of somebody else for tests: a published one, spoiled and packed."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import sealing

from benchbook import store
from benchbook.reuse import packs
from benchbook.store import schema

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "data" / "published" / "lru"
FIRST, SECOND = (path.name for path in sorted(PUBLISHED.iterdir())[:2])


def pack(folder: Path, name: str = "run.zip", method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Whatever lies in a folder, as a pack of a run."""
    out = folder.parents[1] / name
    with zipfile.ZipFile(out, "w", method) as archive:
        for each in packs.FILES:
            archive.write(folder / each, f"{folder.parent.name}/{folder.name}/{each}")
    return out


def called(folder: Path, identity: str) -> Path:
    """The same run under another id."""
    made = shutil.copytree(folder, folder.with_name(identity))
    sealing.rewrite(made, id=identity)
    return made


def change(folder: Path, name: str, to: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    to(pd.read_parquet(folder / name)).to_parquet(folder / name, index=False)
    sealing.reseal(folder)


def rows(count: int) -> Callable[[Path], None]:
    """Samples without end that take a few MB as a file."""

    def write(folder: Path) -> None:
        table = pa.table(
            {
                "trial": pa.array(np.zeros(count, np.int32)),
                "series": pa.array(["get"] * 1).take(pa.array(np.zeros(count, np.int32))).dictionary_encode(),
                "latency_ns": pa.array(np.full(count, 5, np.int32)),
            }
        )
        pq.write_table(table, folder / schema.SAMPLES, compression="zstd")
        sealing.reseal(folder)

    return write


def parameters(folder: Path, **more: Any) -> None:
    sealing.rewrite(folder, parameters=store.schema.read_record(folder)["parameters"] | more)


def origin(folder: Path, **changed: Any) -> None:
    """Let a run be from elsewhere, such as another machine."""
    sealing.rewrite(folder, provenance=store.schema.read_record(folder)["provenance"] | changed)
