"""The work behind ``review``: a benchmark with its rooms of reviews, read once; draws, packets and answers of readers."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast

from faultline.archive import Benchmark, ReviewRoom, SealedRun, load_benchmark, review_paths, shown_of
from faultline.cli.review_report import RunAgreement
from faultline.clock import Clock
from faultline.errors import (
    BadInputError,
    ConflictError,
    FaultlineError,
    IntegrityError,
    MissingInputError,
    RefusedError,
    raise_all,
)
from faultline.files import create_file
from faultline.gates import Facts, gate_policy, gather
from faultline.gates.blinded_review import SAMPLE, drawn_again, standing_of
from faultline.gates.policy import Policy
from faultline.gates.reviewer_agreement import CONTROLS, agreement_gaps, report_of
from faultline.kinds import RunKind, safe_text, slug
from faultline.records import (
    Adjudication,
    Record,
    Review,
    ReviewAnswers,
    ReviewMaterial,
    ReviewSample,
    SampledItem,
)
from faultline.review import draw_sample, hidden_names, leaks_of, material_of, person, weighed

_MOST_PLACES = 20
_LONGEST = 32 * 2**20


@dataclass(frozen=True)
class Reviews:
    """A benchmark's reviews, and what can be done with them."""

    benchmark: Benchmark
    facts: Facts
    policy: Policy
    clock: Clock

    @classmethod
    def open(cls, root: Path, clock: Clock | None = None) -> "Reviews":
        """Read the benchmark; a file of a review that does not read is an error, for nothing may hide a reading."""
        benchmark = load_benchmark(root)
        raise_all([problem for problem in benchmark.problems if "/reviews/" in problem.place])
        policy = gate_policy(benchmark.gates, benchmark.gates_origin)
        return cls(benchmark, gather(benchmark), policy, clock or Clock())

    def draw(self, name: str, size: int | None) -> tuple[str, ReviewSample, bool]:
        """Draw the sample of a run and write it; returns its place, the sample, and whether it is new.

        Raises :class:`RefusedError` without a validity run of the same tasks, or when the gate asks for more, and
        :class:`ConflictError` when another sample is there.
        """
        run = self._run(name)
        if run.manifest.kind is RunKind.VALIDITY:
            raise RefusedError(name, "a validity run holds controls, and no agent's work to read")
        least = self.policy[SAMPLE]
        if size is not None and size < least:
            raise RefusedError(name, "the gate asks for more trajectories", expected=f"at least {least}", found=str(size))
        controls = self._validity_run(run)
        drawn = draw_sample(
            run.results_digest,
            (run.manifest, run.trials),
            (controls.manifest, controls.trials),
            controls.results_digest,
            size=size or least,
            each=self.policy[CONTROLS],
        )
        if not any(item.role == "trajectory" for item in drawn.items):
            raise RefusedError(name, "the run has no trial with a verdict to read")
        path = review_paths(run).sample
        there = self._room(run).sample
        if there is not None and there != drawn:
            raise ConflictError(
                self._shown(path),
                "another sample has been drawn already, and it stays",
                expected=f"size {there.size} and the controls of {there.controls_run}",
                found=f"size {drawn.size} and the controls of {drawn.controls_run}",
                next_step="go on with the sample that is there",
            )
        if there is None:
            _write(path, drawn)
        return self._shown(path), drawn, there is None

    def run_of(self, sample: str) -> SealedRun:
        """Return the run that is meant: by its id, or by the path of its sample."""
        path = Path(sample)
        if path.name == "sample.json" and path.is_file():
            return self._run(ReviewSample.parse(_read(path), sample).run)
        return self._run(sample)

    def material(self, run: SealedRun, *, mask: bool) -> ReviewMaterial:
        """Return what readers of a run's sample are shown; the first time it is made and written.

        Raises :class:`RefusedError` with every place that names somebody, and :class:`IntegrityError` for a sample that is
        not what the results draw.
        """
        room = self._room(run)
        if room.sample is None:
            raise MissingInputError(run.name, "no sample was drawn", next_step=f"faultline review sample {run.name}")
        facts = next(item for item in self.facts.runs if item.name == run.name)
        again = drawn_again(facts, self.facts, room.sample)
        path = review_paths(run).sample
        if again != room.sample:
            raise IntegrityError(self._shown(path), "this sample is not what the results draw", next_step="restore it")
        controls = self._run(room.sample.controls_run)
        names = (*hidden_names(run.manifest), *hidden_names(controls.manifest))
        found = room.material
        if found is not None and (found.sample != room.sample.content_digest() or (mask and not found.masked)):
            raise ConflictError(
                self._shown(review_paths(run).material),
                "readers have been shown something else already",
                next_step="make packets in the same way, or begin anew with a new run",
            )
        if found is None:
            trials = {trial.key: trial for trial in (*run.trials, *controls.trials)}
            shown = {
                item.item: shown_of(run if item.key.run == run.name else controls, trials[item.key], self.benchmark.tasks)
                for item in room.sample.items
            }
            found = material_of(room.sample, shown, names, mask=mask)
        leaks = leaks_of(found, names)
        if leaks:
            more = f" and {len(leaks) - _MOST_PLACES} more" if len(leaks) > _MOST_PLACES else ""
            raise RefusedError(
                f"runs/{run.name}",
                "a reader would see who made a change",
                found="; ".join(map(str, leaks[:_MOST_PLACES])) + more,
                next_step="hide these lines whole with --mask",
            )
        if room.material is None:
            _write(review_paths(run).material, found)
        return found

    def collect(self, files: Sequence[Path]) -> list[dict[str, Any]]:
        """Store the answers of readers as reviews; raises every fault of every file, and then writes nothing.

        Raises :class:`BadInputError` for what is malformed, incomplete or of no packet of this benchmark, and
        :class:`ConflictError` for another answer by the same reader.
        """
        told: list[dict[str, Any]] = []
        wanted: dict[Path, Review] = {}
        faults: list[FaultlineError] = []
        for file in files:
            try:
                run, reviews = self._reviews(file)
                new = 0
                for path, review in reviews.items():
                    new += self._is_new(path, review, wanted)
                    wanted[path] = review
                who = next(iter(reviews.values())).reviewer
                row = {"file": str(file), "run": run.name, "reviewer": who, "items": len(reviews)}
                told.append(row | {"new": new, "known": len(reviews) - new})
            except FaultlineError as error:
                faults += getattr(error, "errors", (error,))
        raise_all(faults)
        for path, review in wanted.items():
            if not path.exists():
                _write(path, review)
        return told

    def agreement(self, names: Sequence[str]) -> list["RunAgreement"]:
        """Return what readers said of the named runs, or of all that have a sample."""
        chosen = {self._run(name).name for name in names}
        found = []
        for run in self.facts.runs:
            if run.name in chosen or (not names and self.facts.rooms[run.name].sample is not None):
                report = report_of(run, self.facts)
                if report is None:
                    raise MissingInputError(run.name, "no sample was drawn", next_step=f"faultline review sample {run.name}")
                gaps = agreement_gaps(report, self.policy)
                disputes = [item for item in report.items if item.item.role == "trajectory" and item.is_open]
                gaps += [f"a settlement of item {item.item.item}" for item in disputes]
                found.append(RunAgreement(run.name, report, self.facts.rooms[run.name].adjudications, tuple(gaps)))
        return found

    def adjudicate(self, name: str, item: str, who: str, verdict: str, why: str) -> tuple[str, bool]:
        """Keep how a disagreement was settled; returns its place, and whether it is new.

        Raises :class:`RefusedError` when nobody disagrees or the person read the item, :class:`ConflictError` when the same
        person settled it otherwise.
        """
        run = self._run(name)
        facts = next(found for found in self.facts.runs if found.name == run.name)
        report = report_of(facts, self.facts)
        known = {found.item.item: found for found in report.items} if report is not None else {}
        if item not in known:
            raise MissingInputError(f"{name}: {safe_text(item, 40)}", "the sample of the run has no such item")
        readings = known[item]
        if not readings.disputed:
            raise RefusedError(f"{name}: {item}", "nobody disagrees about this item")
        if not person(who) or person(who) in dict(readings.readings):
            raise RefusedError(f"{name}: {item}", "a reader of the item cannot settle it", found=who)
        if not why.strip():
            raise RefusedError(f"{name}: {item}", "a settlement needs a reason", next_step="say why with --why")
        key = readings.item.key
        own = standing_of(facts, self.facts, [key]).counted
        found = Adjudication(
            schema_name="faultline/adjudication/1",
            item=item,
            key=key,
            results_digest=run.results_digest,
            adjudicator=safe_text(who, 200),
            adjudicated_at=_whole_second(self.clock.now()),
            verdict=cast("Literal['passed', 'failed']", verdict),
            why=safe_text(why, 1_900),
            reviews=weighed(own),
        )
        path = review_paths(run).adjudications / f"{item}.{slug(person(who))}.json"
        for there in self._room(run).adjudications:
            if there.item == item and person(there.adjudicator) == person(who):
                if there.model_copy(update={"adjudicated_at": found.adjudicated_at}) == found:
                    return self._shown(path), False
                raise ConflictError(
                    self._shown(path), "this person has settled it otherwise before, and that stays", found=there.verdict
                )
        _write(path, found)
        return self._shown(path), True

    def _reviews(self, file: Path) -> tuple[SealedRun, dict[Path, Review]]:
        """Return the reviews in a reader's file by where they belong."""
        answers = ReviewAnswers.parse(_read(file), str(file))
        room = next(
            (room for room in self.benchmark.rooms if room.sample and room.sample.content_digest() == answers.sample), None
        )
        if room is None or room.sample is None:
            raise BadInputError(f"{file}: sample", "no run of this benchmark has this sample", found=answers.sample)
        if room.material is None or room.material.content_digest() != answers.material:
            raise BadInputError(f"{file}: material", "these answers are about something else than readers are shown")
        if not person(answers.reviewer):
            raise BadInputError(f"{file}: reviewer", "nobody is named")
        run = self._run(room.run)
        items = {item.item: item for item in room.sample.items}
        given = [answer.item for answer in answers.answers]
        faults: list[FaultlineError] = [
            BadInputError(f"{file}: answers", "this item is not in the sample", found=item)
            for item in given
            if item not in items
        ]
        faults += [
            BadInputError(f"{file}: answers", "this item is answered twice", found=item)
            for item in sorted(set(given))
            if given.count(item) > 1
        ]
        if missing := [item for item in items if item not in given]:
            faults.append(
                BadInputError(
                    f"{file}: answers",
                    "this is a draft: not every item is answered",
                    expected=f"{len(items)} answers",
                    found=f"{len(missing)} open",
                    next_step="open the draft in the packet and finish it",
                )
            )
        raise_all(faults)
        verdicts = {trial.key: str(trial.outcome.verdict) for trial in run.trials}
        found: dict[Path, Review] = {}
        for answer in answers.answers:
            item = items[answer.item]
            found[review_paths(run).folder / f"{slug(person(answers.reviewer))}.{item.item}.json"] = Review(
                schema_name="faultline/review/1",
                key=item.key,
                results_digest=run.results_digest,
                reviewer=safe_text(answers.reviewer, 200),
                reviewed_at=answers.saved_at,
                blinded=not answer.recognised,
                verdict_seen_right=answer.reading == _deserved(item, verdicts),
                reading=answer.reading,
                confidence=answer.confidence,
                material=answers.material,
                notes=safe_text(answer.notes, 2_000),
            )
        return run, found

    def _is_new(self, path: Path, review: Review, wanted: dict[Path, Review]) -> bool:
        """Return whether a review is not there yet; one that says something else is a conflict, whenever it was saved."""
        there = wanted.get(path)
        if there is None and path.exists():
            there = Review.parse(_read(path), self._shown(path))
        if there is None:
            return True
        if there.model_copy(update={"reviewed_at": review.reviewed_at, "reviewer": review.reviewer}) != review:
            raise ConflictError(
                self._shown(path),
                "this reader has answered otherwise before, and that stays",
                expected=str(there.reading),
                found=str(review.reading),
                next_step="ask the reader which answer holds, and keep both files",
            )
        return False

    def _run(self, name: str) -> SealedRun:
        found = next((run for run in self.benchmark.runs if run.name == name), None)
        if found is None:
            problems = [problem for problem in self.benchmark.problems if problem.place.split("/")[:2] == ["runs", name]]
            raise_all(problems)
            raise MissingInputError(f"runs/{safe_text(name, 120)}", "there is no such run")
        return found

    def _room(self, run: SealedRun) -> ReviewRoom:
        return self.facts.rooms[run.name]

    def _validity_run(self, run: SealedRun) -> SealedRun:
        """Return the newest validity run that has all tasks of a run in the same form."""
        wanted = {(pin.id, pin.digest) for pin in run.manifest.tasks}
        fitting = [
            other
            for other in self.benchmark.runs
            if other.manifest.kind is RunKind.VALIDITY and wanted <= {(pin.id, pin.digest) for pin in other.manifest.tasks}
        ]
        if not fitting:
            raise RefusedError(
                run.name,
                "no validity run has the tasks of this run in the same form, so there are no controls",
                next_step="faultline validate",
            )
        return max(fitting, key=lambda other: (other.seal.sealed_at, other.name))

    def _shown(self, path: Path) -> str:
        return os.path.relpath(path, self.benchmark.root)


def _deserved(item: SampledItem, verdicts: dict[Any, str]) -> str:
    """Return the verdict that a reader agrees with."""
    known = {"good-control": "passed", "bad-control": "failed"}
    return known.get(item.role) or verdicts[item.key]


def _whole_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LONGEST + 1)
    except OSError as error:
        raise MissingInputError(str(path), "this file cannot be read", found=error.strerror or "") from error
    if len(data) > _LONGEST:
        raise BadInputError(str(path), "this file is too large", expected=f"at most {_LONGEST} bytes")
    return data


def _write(path: Path, record: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    create_file(path, record.canonical() + b"\n")
