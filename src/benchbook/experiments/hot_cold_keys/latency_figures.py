"""Figures of latency: distributions, medians and tails per configuration, the hot-share ladder, claims against data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.claim_plot import draw, named
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, EMPTY
from benchbook.experiments.hot_cold_keys.judgements import CLAIMED, ESTIMANDS, LATENCY, SHARES, TAILS
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.marks import COLOURS, add_dots, bars
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

SHOWN = (BASELINE, "hot_share_80", DISJOINT, "true_cold", "all_warmed_large_pool", EMPTY)
NAMES = {"p50_ns": "P50", "p95_ns": "P95", "p99_ns": "P99"}


def distributions(summary: Summary) -> Figure:
    """Quantile curves: how slow the slowest half, tenth, hundredth of the requests are."""
    longest = summary.parameters.measured_requests / 100
    slower = np.geomspace(1.0, 1 / longest, 60)[1:]
    rows = []
    plot = go.Figure()
    trials = summary.run.trials.set_index("trial")
    for place, arm in enumerate(arm for arm in SHOWN if arm in summary.labels):
        samples = summary.run.samples[summary.run.samples["trial"].map(trials["configuration"]) == arm]
        per_trial = np.array(
            [np.quantile(group.to_numpy(), 1 - slower) for _, group in samples.groupby("trial")["latency_ns"]]
        )
        curve = np.exp(np.log(per_trial).mean(axis=0)) / 1e6
        rows += [
            {"configuration": summary.labels[arm], "share of requests that are slower": share, "latency (ms)": value}
            for share, value in zip(slower.tolist(), curve.tolist(), strict=True)
        ]
        line = {"color": COLOURS[place], "dash": theme.DASHES[place], "width": 2}
        plot.add_scatter(x=slower, y=curve, name=summary.labels[arm], mode="lines", line=line)
    ticks = [share for share in (1.0, 0.5, 0.1, 0.01, 0.001) if share >= slower[-1] * 0.999]
    text = {1.0: "all", 0.5: "half", 0.1: "1 in 10", 0.01: "1 in 100", 0.001: "1 in 1,000"}
    plot.update_xaxes(
        type="log", range=[0, np.log10(slower[-1]) - 0.1], title="share of requests that are slower",
        tickvals=ticks, ticktext=[text[tick] for tick in ticks],
    )  # fmt: skip
    plot.update_yaxes(**theme.decades(), title="latency of a request (ms)")
    hot, cold = (summary.latency(arm, "p50_ns").point for arm in (BASELINE, DISJOINT))
    return Figure(
        LATENCY,
        "How long requests take, by the keys that were warmed. Each line is the geometric mean over trials of one "
        f"configuration's quantiles, logarithmic on both axes; {summary.origin()}. {_client_sentence(summary)}",
        f"Quantile curves of request latency for {len(SHOWN)} configurations. The median is {hot:.3g} ms with the "
        f"warmed keys and {cold:.3g} ms with disjoint keys.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def tails(summary: Summary) -> Figure:
    """P50 and the highest estimable quantile per configuration, with intervals."""
    metrics = ["p50_ns"] if summary.tail == "p50_ns" else ["p50_ns", summary.tail]
    labels = [summary.labels[arm] for arm in summary.arms]
    rows = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, metric in enumerate(metrics):
        estimates = [summary.latency(arm, metric) for arm in summary.arms]
        drawn += estimates
        rows += [_row(label, NAMES[metric], estimate) for label, estimate in zip(labels, estimates, strict=True)]
        add_dots(plot, place, NAMES[metric], dict(zip(labels, estimates, strict=True)))
    plot.update_xaxes(**theme.decades(), title="latency of a request (ms)")
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=120 + 30 * len(labels))
    name = NAMES[metrics[-1]]
    first, last = (summary.latency(arm, metrics[-1]) for arm in (BASELINE, DISJOINT))
    missing = "" if summary.tail == "p99_ns" else " P99 is not shown: it needs 10,000 requests a trial."
    return Figure(
        TAILS,
        f"Median and {name} of the request latency per configuration, with 95 % intervals (Student t on the logarithms "
        f"of the per-trial values), logarithmic axis; {summary.origin()}.{missing} {_client_sentence(summary)}",
        f"Points with intervals for {len(labels)} configurations. {name} is {first.point:.3g} ms with the warmed keys "
        f"and {last.point:.3g} ms with disjoint keys.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def hot_shares(summary: Summary) -> Figure:
    """Latency against the share of requests that go to warmed keys."""
    ladder = [(100, BASELINE)]
    ladder += [(share, f"hot_share_{share}") for share in sorted(summary.parameters.hot_shares_percent, reverse=True)]
    ladder += [(0, DISJOINT)]
    x = [share for share, _ in ladder]
    rows = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, metric in enumerate(dict.fromkeys(["p50_ns", summary.tail])):
        estimates = [summary.latency(arm, metric) for _, arm in ladder]
        drawn += estimates
        rows += [
            {"hot share (%)": share, **_row(summary.labels[arm], NAMES[metric], estimate)}
            for (share, arm), estimate in zip(ladder, estimates, strict=True)
        ]
        plot.add_scatter(
            x=x, y=[e.point for e in estimates], name=NAMES[metric], mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 9}, error_y=bars(estimates),
        )  # fmt: skip
    plot.update_xaxes(autorange="reversed", title="share of requests on warmed keys (%)", tickvals=x)
    plot.update_yaxes(**theme.decades(), title="latency of a request (ms)")
    name = NAMES[summary.tail]
    if "hot_share_80" in summary.labels:
        effect = statistics.ratio(summary.values("hot_share_80", summary.tail), summary.values(BASELINE, summary.tail))
        said = f"With 80 % on warmed keys, {name} is {with_interval(effect)} times that with 100 %."
    else:
        said = f"The shares shown are {', '.join(f'{share} %' for share in x)}."
    return Figure(
        SHARES,
        "Latency against the share of requests that go to warmed keys; the others ask for keys never asked before. "
        f"{said} An empty statement takes {summary.client_share():.0%} of the P50 at 100 %. "
        "95 % intervals of the per-trial values, logarithmic axis; "
        f"{summary.origin()}.",
        f"Lines of P50 and {name} over hot shares from 100 to 0 percent. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def claimed(summary: Summary) -> Figure:
    """The note's ratios as regions, ours as points with intervals, for every claim that has both."""
    shown = {name: estimand for name, estimand in ESTIMANDS.items() if estimand.figure_id == CLAIMED}
    drawn = draw("hot_cold_keys", shown, summary, label=named, height=140, each=30)
    return Figure(
        CLAIMED,
        "The note's claims as ratios (bars: the region that counts as reproduced, open to the left for 'less than') "
        f"and what was measured (points, 95 % intervals over blocks), logarithmic axis; {summary.origin()}.",
        f"{len(drawn.points)} measured ratios beside the regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )


def _row(configuration: str, quantile: str, e: Estimate) -> dict[str, object]:
    return {
        "configuration": configuration, "quantile": quantile, "latency (ms)": e.point,
        "low (ms)": e.low, "high (ms)": e.high, "trials": e.n,
    }  # fmt: skip


def _client_sentence(summary: Summary) -> str:
    return (
        f"The same loop over an empty statement takes {summary.client_share():.0%} of the hot median: "
        "that share is the client's and the protocol's, not the cache's."
    )
