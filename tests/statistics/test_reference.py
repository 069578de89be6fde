"""Each function against numbers from published sources or from an independent computation (``reference.json``)."""

import json
from pathlib import Path

import numpy as np
import pytest

from faultline.statistics import (
    TaskCounts,
    clopper_pearson_interval,
    clopper_pearson_upper,
    cluster_error,
    pass_at_k,
    pass_hat_k,
    pass_rate,
    quantile_interval,
    quantile_ranks,
    task_set_error,
    variance_components,
    wilson_interval,
    zero_error_reviews,
)

ENTRIES = {entry["name"]: entry for entry in json.loads((Path(__file__).parent / "reference.json").read_text())["entries"]}


def _wilson(i):
    bounds = wilson_interval(i["passed"], i["n"], i["conf"])
    return [bounds.low, bounds.high]


def _clopper(i):
    bounds = clopper_pearson_interval(i["passed"], i["n"], i["conf"])
    return [bounds.low, bounds.high]


def _rate(i):
    return pass_rate(
        [TaskCounts(passes, i["trials"]) for passes in i["task_pass_counts"]], list(range(len(i["task_pass_counts"])))
    )


def _all(i):
    return [i["trials"]] * len(i["task_pass_counts"])


def _taubench(i):
    rate = _rate(i)
    return [rate.estimate, rate.error, rate.effective_n, rate.low, rate.high]


def _components(i):
    parts = variance_components(i["task_pass_counts"], _all(i))
    return [parts.between, parts.within, parts.icc]


def _clustered(i):
    naive = cluster_error(i["values"], range(len(i["values"])))
    robust = cluster_error(i["values"], i["clusters"])
    count = len(set(i["clusters"]))
    return [float(np.mean(i["values"])), naive, robust * ((count - 1) / count) ** 0.5, robust]


def _macro(i):
    counts = [TaskCounts(passes, trials) for passes, trials in zip(i["task_passes"], i["task_trials"], strict=True)]
    return [pass_rate(counts).estimate, sum(i["task_passes"]) / sum(i["task_trials"])]


def _median(i):
    interval = quantile_interval(range(1, i["n"] + 1), i["p"], i["conf"])
    return [interval.low, interval.high, interval.coverage]


def _smallest(quantile, level):
    return next(n for n in range(1, 1000) if None not in quantile_ranks(n, quantile, level))


COMPUTE = {
    "wilson_81_of_263": _wilson,
    "wilson_0_of_20": _wilson,
    "wilson_5_of_5": _wilson,
    "clopper_pearson_81_of_263": _clopper,
    "clopper_pearson_0_of_20": _clopper,
    "audit_n_for_zero_errors": lambda i: [zero_error_reviews(target, i["conf"]) for target in i["target_upper"]],
    "audit_upper_bounds_n60": lambda i: [clopper_pearson_upper(errors, i["n"], i["conf"]) for errors in i["errors"]],
    "clustered_se_small": _clustered,
    "pass_at_k_n20_c5_k10": lambda i: pass_at_k(i["n"], i["c"], i["k"]),
    "taubench_gpt4o_airline_pass_hat_k": lambda i: [
        float(np.mean([pass_hat_k(i["trials"], c, k) for c in i["task_pass_counts"]])) for k in i["k"]
    ],
    "variance_components_taubench": _components,
    "taubench_pass_rate_interval_effective_n_wilson": _taubench,
    "fixed_task_se_vs_superpopulation_se": lambda i: [task_set_error(i["task_pass_counts"], _all(i)), _rate(i).error],
    "macro_vs_micro_unbalanced": _macro,
    "all_pass_20_tasks_5_trials": lambda i: [_rate(i).low, _rate(i).high],
    "median_order_statistic_ci_n20": _median,
    "quantile_ci_minimum_n": lambda i: [_smallest(p, i["conf"]) for p in i["p"]],
}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_entry(name):
    """
    The room computes what the source of each reference entry says, within the entry's tolerance.
    """
    entry = ENTRIES[name]

    np.testing.assert_allclose(COMPUTE[name](entry["inputs"]), entry["expected"], rtol=0, atol=entry["tolerance"])


def test_every_entry_is_computed():
    """
    No reference entry is carried along without a function that it tests.
    """
    assert sorted(ENTRIES) == sorted(COMPUTE)
