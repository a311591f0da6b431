"""Published numbers computed again from stored trials, with pandas and SciPy and without the package that made them.

python tests/audit/audit.py RECIPES [PUBLISHED]    what each number is made of; the folder of published runs

Read here are run.json and trials.parquet alone. The rules: a number is made of values by block; a ratio of paired logs;
a visit is one processor model without a pause of twelve hours; from four visits on the wider of the intervals over
blocks and over visits counts; blocks in which a shared server gave no number are void.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

PAUSE_S = 12 * 3600
VISITS = 4
"""From so many on they are replicates too."""
EQUAL = 1e-12
"""Values that agree to this relative size do not differ."""
TOLERANCE = 1e-9


class Trials:
    """The trials of a chapter's published runs, their blocks numbered through, and the visit of each block."""

    def __init__(self, folders: list[Path], void: list[int]) -> None:
        tables, models, first = [], [], 0
        for folder in folders:
            about = json.loads((folder / "run.json").read_text())
            rows = pd.read_parquet(folder / "trials.parquet")
            blocks = sorted(rows["block"].unique())
            place = {block: first + number for number, block in enumerate(blocks)}
            tables.append(rows.assign(block=rows["block"].map(place)))
            known = about["provenance"]
            models += [f"{known.get('processor')} {'-'.join(str(known.get('processor_model')).split('-')[:3])}"] * len(
                blocks
            )
            first += len(blocks)
        every = pd.concat(tables, ignore_index=True)
        left = [block for block in range(first) if block not in void]
        every = every[every["block"].isin(left)]
        self.rows = {name: rows.sort_values("block") for name, rows in every.groupby("configuration")}
        self.visits = _visits(every, [models[block] for block in left])

    def column(self, metric: str, arm: str) -> np.ndarray:
        """Values by block."""
        return self.rows[arm][metric].to_numpy(dtype=float)


def _visits(rows: pd.DataFrame, models: list[str]) -> np.ndarray:
    """The visit of each block, from 0."""
    started = pd.to_datetime(rows["started_at"], utc=True).map(lambda each: each.timestamp())
    times = pd.DataFrame({"block": rows["block"], "start": started, "end": started + rows["duration_s"]}).groupby(
        "block"
    )
    begun, ended = times.min()["start"].to_numpy(), times.max()["end"].to_numpy()
    found, last, count = np.zeros(len(begun), dtype=int), dict[str, tuple[int, float]](), 0
    for block in np.argsort(begun, kind="stable"):
        number, until = last.get(models[block], (-1, -math.inf))
        if begun[block] - until >= PAUSE_S:
            number, count = count, count + 1
        last[models[block]] = number, max(until, ended[block])
        found[block] = number
    return found


def vector(tree: list[Any], trials: Trials) -> np.ndarray:
    """Values by block of what a recipe says."""
    sign, left, right = tree[0], tree[1], tree[2]
    if sign == "of":
        return trials.column(left, right)
    one = vector(left, trials)
    other = vector(right, trials) if isinstance(right, list) else right
    return one / other if sign == "/" else one * other if sign == "*" else one - other


def student(values: np.ndarray, confidence: float, visits: np.ndarray, size: float = 1.0) -> tuple[float, float, float]:
    """Mean and interval: over blocks, or over the means of four visits or more where that is wider."""
    if np.ptp(values) <= EQUAL * size:
        return (float(values[0]),) * 3
    found = _interval(values, confidence)
    if np.unique(visits).size >= VISITS:
        over = _interval(pd.Series(values).groupby(visits).mean().to_numpy(), confidence)
        if over[2] - over[1] > found[2] - found[1]:
            return over
    return found


def _interval(values: np.ndarray, confidence: float) -> tuple[float, float, float]:
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(stats.t.ppf((1 + confidence) / 2, values.size - 1)) * error
    return mean, mean - half, mean + half


def ratio(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    return tuple(math.exp(each) for each in student(np.log(parts[0]) - np.log(parts[1]), confidence, visits))


def difference(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    return student(parts[0] - parts[1], confidence, visits, float(np.abs(parts).max()))


def geometric_mean(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    return tuple(math.exp(each) for each in student(np.log(parts[0]), confidence, visits))


def arithmetic_mean(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    return student(parts[0], confidence, visits, float(np.abs(parts[0]).max()))


def level(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    """The geometric mean, or the arithmetic one of what is 0 in some trial."""
    return (geometric_mean if parts[0].all() else arithmetic_mean)(parts, confidence, visits)


def share(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    """On empirical logits, no narrower than half a count to each side."""
    values, counts = parts
    logits = special.logit((values * counts + 0.5) / (counts + 1))
    point, low, high = (float(special.expit(each)) for each in student(logits, confidence, visits))
    finest = float((0.5 / counts).max())
    return point, max(0.0, min(low, point - finest)), min(1.0, max(high, point + finest))


def rise(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    """The difference of two shares, no narrower than one count to each side."""
    more, of, less, other = parts
    point, low, high = student(more - less, confidence, visits)
    finest = 1 / int(min(of.min(), other.min()))
    return point, max(-1.0, min(low, point - finest)), min(1.0, max(high, point + finest))


def ratio_of_totals(parts: list[np.ndarray], confidence: float, visits: np.ndarray) -> tuple[float, ...]:
    """Fieller's interval of the ratio of two sums, over blocks or over visits, whichever is wider."""
    above, below = parts
    found = _fieller(above, below, confidence)
    if np.unique(visits).size >= VISITS:
        over = _fieller(*(pd.Series(each).groupby(visits).sum().to_numpy() for each in parts), confidence)
        found = over if over[1] - over[0] > found[1] - found[0] else found
    return float(above.sum() / below.sum()), max(0.0, found[0]), found[1]


def _fieller(above: np.ndarray, below: np.ndarray, confidence: float) -> tuple[float, float]:
    scale = float(stats.t.ppf((1 + confidence) / 2, above.size - 1)) ** 2 / above.size
    (var_above, both), (_, var_below) = np.cov(above, below)
    top, bottom = above.mean(), below.mean()
    a, b, c = bottom**2 - scale * var_below, top * bottom - scale * both, top**2 - scale * var_above
    root = math.sqrt(max(0.0, b * b - a * c))
    return float((b - root) / a), float((b + root) / a)


STATISTICS = {
    "ratio": ratio, "difference": difference, "geometric_mean": geometric_mean, "arithmetic_mean": arithmetic_mean,
    "_level": level, "share": share, "_rise": rise, "ratio_of_totals": ratio_of_totals,
}  # fmt: skip


def again(number: dict[str, Any], trials: Trials) -> tuple[float, ...]:
    """A number as its recipe gives it: point, low and high."""
    parts = [vector(tree, trials)[number["after"] :] for tree in number["parts"]]
    visits = trials.visits[number["after"] :]
    if number["gaps"]:
        whole = np.isfinite(parts).all(axis=0)
        parts, visits = [part[whole] for part in parts], visits[whole]
    point, low, high = STATISTICS[number["statistic"]](parts, number["confidence"], visits)
    return (1 - point, 1 - high, 1 - low) if number["complement"] else (point, low, high)


def apart(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-300)


def main(recipes: Path, published: Path) -> int:
    """0 where each number comes out again."""
    count = unknown = 0
    most, wrong = (0.0, ""), []
    for chapter in json.loads(recipes.read_text()):
        trials = Trials([published / chapter["chapter"] / run for run in chapter["runs"]], chapter["void"])
        unknown += len(chapter["unknown"])
        for number in chapter["numbers"]:
            name = f"{chapter['chapter']}.{number['name']}"
            off = max(map(apart, again(number, trials), (number["point"], number["low"], number["high"])))
            count, most = count + 1, max(most, (off, name))
            if off > TOLERANCE:
                wrong.append(f"{name} is off by {off:.2g}")
    lines = [
        f"{count} published numbers computed again; the largest difference is {most[0]:.2g}, of {most[1]}.",
        f"{unknown} are made by functions of their chapters, or not estimable, and were not computed.",
        *wrong,
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return bool(wrong)


if __name__ == "__main__":
    default = Path(__file__).parents[2] / "data" / "published"
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else default))
