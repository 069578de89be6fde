"""The judge: freeze what an agent left, judge it in a temporary copy, classify what happened.

Writes only temporary folders that it removes. Front doors: :func:`freeze`, :class:`Judge`, :func:`classify`.
"""

from faultline.grading.canary import carriers
from faultline.grading.classify import RULES, classify, exposed, faulted, refused
from faultline.grading.freeze import INVALID_CODES, Candidate, InvalidSubmission, freeze
from faultline.grading.handle import HarnessFault
from faultline.grading.judge import CODE_MEANINGS, Findings, Judge, Sitting

__all__ = [
    "CODE_MEANINGS",
    "INVALID_CODES",
    "RULES",
    "Candidate",
    "Findings",
    "HarnessFault",
    "InvalidSubmission",
    "Judge",
    "Sitting",
    "carriers",
    "classify",
    "exposed",
    "faulted",
    "freeze",
    "refused",
]
