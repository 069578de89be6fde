"""Sealed runs on disk: written once, read strictly, verified from the bytes; and a benchmark's folder read as one value.

Front doors: :func:`seal_run`, :func:`read_run`, :func:`verify_run`, :func:`load_benchmark`. It touches the file system, asks
a clock for the day, and nothing else: no database, no network; ssh-keygen is started where audits are signed.
"""

from faultline.archive.benchmark import gate_settings, load_benchmark
from faultline.archive.checks import PlanCheck
from faultline.archive.read import read_manifest, read_run
from faultline.archive.reviewing import review_paths, shown_of
from faultline.archive.seal import seal_run
from faultline.archive.signed import ALLOWED_SIGNERS, check_audits
from faultline.archive.values import Benchmark, Mismatch, ReviewRoom, SealedRun
from faultline.archive.verify import candidate_mismatches, verify_run

__all__ = [
    "ALLOWED_SIGNERS",
    "Benchmark",
    "Mismatch",
    "PlanCheck",
    "ReviewRoom",
    "SealedRun",
    "candidate_mismatches",
    "check_audits",
    "gate_settings",
    "load_benchmark",
    "read_manifest",
    "read_run",
    "review_paths",
    "seal_run",
    "shown_of",
    "verify_run",
]
