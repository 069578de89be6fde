"""What people examined: independent audits of tasks, and blinded readings of sampled trajectories.

Pure: it gets records and says which of them count, and why the others do not; it draws samples, takes names out of what
readers see and makes their packets. It makes no audit and no review; only people can. Front doors:
:func:`countable_audits`, :func:`draw_sample`, :func:`material_of`, :func:`packet_page`, :func:`agreement_of`.
"""

from faultline.review.agreement import (
    READINGS,
    AgreementReport,
    ItemReadings,
    Recognition,
    agreement_of,
    weighed,
)
from faultline.review.audits import AuditStanding, SetAsideAudit, countable_audits
from faultline.review.blinding import KNOWN_NAMES, hidden_names, leaks, redact
from faultline.review.checklist import checklist
from faultline.review.material import Leak, Shown, leaks_of, material_of
from faultline.review.packet import packet_page, shuffled
from faultline.review.people import names_in, person
from faultline.review.readings import ItemStanding, ReviewStanding, SetAsideReview, countable_reviews
from faultline.review.sampling import controls_for_review, draw_sample, sample_for_review

__all__ = [
    "KNOWN_NAMES",
    "READINGS",
    "AgreementReport",
    "AuditStanding",
    "ItemReadings",
    "ItemStanding",
    "Leak",
    "Recognition",
    "ReviewStanding",
    "SetAsideAudit",
    "SetAsideReview",
    "Shown",
    "agreement_of",
    "checklist",
    "controls_for_review",
    "countable_audits",
    "countable_reviews",
    "draw_sample",
    "hidden_names",
    "leaks",
    "leaks_of",
    "material_of",
    "names_in",
    "packet_page",
    "person",
    "redact",
    "sample_for_review",
    "shuffled",
    "weighed",
]
