"""What people examined: independent audits of tasks, and blinded readings of sampled trajectories.

Pure: it gets records and says which of them count, and why the others do not. It makes no audit and no review; only
people can. Front doors: :func:`countable_audits`, :func:`sample_for_review`, :func:`countable_reviews`.
"""

from faultline.review.audits import AuditStanding, SetAsideAudit, countable_audits
from faultline.review.checklist import checklist
from faultline.review.people import names_in, person
from faultline.review.readings import ItemStanding, ReviewStanding, SetAsideReview, countable_reviews
from faultline.review.sampling import sample_for_review

__all__ = [
    "AuditStanding",
    "ItemStanding",
    "ReviewStanding",
    "SetAsideAudit",
    "SetAsideReview",
    "checklist",
    "countable_audits",
    "countable_reviews",
    "names_in",
    "person",
    "sample_for_review",
]
