"""Sealed runs on disk: written once, read strictly, verified from the bytes; and a benchmark's folder read as one value.

Front doors: :func:`seal_run`, :func:`read_run`, :func:`verify_run`, :func:`load_benchmark`. It touches the file system, asks
a clock for the day, and nothing else: no database, no network, no process.
"""

from faultline.archive.benchmark import load_benchmark
from faultline.archive.checks import PlanCheck
from faultline.archive.read import read_manifest, read_run
from faultline.archive.seal import seal_run
from faultline.archive.values import Benchmark, Mismatch, SealedRun
from faultline.archive.verify import candidate_mismatches, verify_run

__all__ = [
    "Benchmark",
    "Mismatch",
    "PlanCheck",
    "SealedRun",
    "candidate_mismatches",
    "load_benchmark",
    "read_manifest",
    "read_run",
    "seal_run",
    "verify_run",
]
