"""Canaries: found wherever they stand, and a trial with one is called exposed."""

import pytest
from tiny import CANARY

from faultline.grading import carriers, exposed, faulted, refused
from faultline.grading.freeze import InvalidSubmission
from faultline.kinds import Fold, Mode, Verdict

OWN = CANARY.removeprefix("faultline-canary-")


class TestFound:
    @pytest.mark.parametrize("form", [CANARY, OWN, OWN.upper(), OWN.replace("-", ""), f"c0ffee{OWN}00ff"])
    def test_every_plain_form_is_found(self, form):
        """With or without prefix and hyphens, in any case of letters."""
        assert ("trajectory",) == carriers([CANARY], f"saw {form}!".encode(), {})

    def test_it_is_looked_for_in_files_and_their_names(self):
        """The candidate is searched too, names of files included."""
        assert ("candidate",) == carriers([CANARY], None, {"a.py": OWN.encode()})
        assert ("candidate",) == carriers([CANARY], None, {OWN: b""})

    def test_another_canary_is_none(self):
        """Only the canaries of the run's own tasks count."""
        assert () == carriers([CANARY], b"faultline-canary-11111111-0000-4000-8000-000000000000", {"a.py": b""})


class TestExposed:
    def test_a_refused_submission_with_a_canary_is_exposed(self):
        """Exposure comes first, and the earlier reason is kept."""
        outcome = exposed(refused(InvalidSubmission("LINKED_FILE", "a")), ("trajectory",))

        assert (Verdict.FAILED, Mode.EXPOSED, "FL-07") == (outcome.verdict, outcome.mode, outcome.rule)
        assert ["CANARY_FOUND", "LINKED_FILE"] == [reason.code for reason in outcome.reasons]
        assert Fold.INVALID_SUBMISSION is outcome.fold

    def test_a_fault_of_the_harness_stays_one(self):
        """Without a verdict there is nothing to overrule; the note tells of the canary."""
        outcome = exposed(faulted("no space"), ("candidate",))

        assert (Verdict.NONE, Mode.INFRASTRUCTURE) == (outcome.verdict, outcome.mode)
        assert "a canary was found: candidate" in outcome.note
