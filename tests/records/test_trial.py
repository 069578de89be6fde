"""Outcomes and trials: combinations that cannot be are refused."""

import factories
import pytest

from faultline.errors import FaultlineError
from faultline.kinds import Fold
from faultline.records import Outcome, Trial

RUN = factories.full().runs[0]
TRIAL = next(trial for trial in RUN.trials if trial.outcome.fold is Fold.PASSED)


def changed(**outcome):
    plain = TRIAL.outcome.model_dump(mode="json")
    return Outcome.from_plain(plain | outcome, "trials.jsonl:1")


class TestOutcome:
    @pytest.mark.parametrize(
        "outcome",
        [
            {"verdict": "none"},
            {"scoreable": False},
            {"checks": []},
            {"reasons": [{"code": "SOMETHING", "measured": {}, "detail": ""}]},
            {"checks": [{"check": "a", "result": "failed", "reason": None}]},
        ],
        ids=[
            "no verdict and scoreable",
            "a verdict and not scoreable",
            "passed without checks",
            "passed with a reason",
            "passed with a failed check",
        ],
    )
    def test_contradictions_are_refused(self, outcome):
        """A pass needs checks that all passed, and a trial is scoreable exactly when it has a verdict."""
        with pytest.raises(FaultlineError):
            changed(**outcome)

    @pytest.mark.parametrize(
        ("outcome", "fold"),
        [
            ({}, Fold.PASSED),
            ({"verdict": "failed"}, Fold.FAILED),
            ({"verdict": "failed", "class": "limit"}, Fold.FAILED),
            ({"verdict": "failed", "class": "agent_failure"}, Fold.INVALID_SUBMISSION),
            ({"verdict": "none", "scoreable": False, "class": "infra"}, Fold.INVALID_INFRA),
            ({"verdict": "none", "scoreable": False, "class": "unknown"}, Fold.INVALID_INFRA),
        ],
    )
    def test_every_outcome_folds_into_one_of_four_words(self, outcome, fold):
        """Verdict, class and scoreable decide the word that rates are built from."""
        assert fold is changed(**outcome).fold


class TestTrial:
    @pytest.mark.parametrize("numbers", [[2], [1, 3], [2, 1], [1, 1]])
    def test_a_complete_list_of_attempts_has_no_gap(self, numbers):
        """Attempts are numbered from 1 in order, each once."""
        plain = TRIAL.model_dump(mode="json")
        plain["attempts"] = [plain["attempts"][0] | {"number": number} for number in numbers]

        with pytest.raises(FaultlineError, match="attempts"):
            Trial.from_plain(plain, "trials.jsonl:1")

    def test_a_trial_survives_its_file(self):
        """A trial read from its canonical line is the same trial."""
        assert TRIAL == Trial.parse(TRIAL.canonical(), "trials.jsonl:1")
