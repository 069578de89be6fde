"""Tiny benchmarks with live runs."""

import pytest
from tiny import write_benchmark

from faultline.agents import control_identity
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, gather_provenance, plan_evaluation
from faultline.kinds import SandboxLevel
from faultline.tasks import load_tasks


@pytest.fixture
def benchmark_root(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


@pytest.fixture
def live(benchmark_root):
    """A planned run of the reference agent: 6 cells, nothing done yet."""
    tasks = load_tasks(benchmark_root / "tasks")
    planned = Planned(Clock(), gather_provenance(benchmark_root, tasks, (), ()), SandboxLevel.BUBBLEWRAP)
    manifest = plan_evaluation(tasks, control_identity("reference"), planned, trials=3, variants=2, seeds=(0, 1))
    run = LiveRun(benchmark_root, manifest.run)
    run.create(manifest, None)
    return run
