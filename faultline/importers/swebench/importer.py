"""SWE-bench as an importer: instances decided from all that was found of them, with copies and contradictions told."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from faultline.errors import ConflictError, FaultlineError
from faultline.importers.identity import readable
from faultline.importers.interface import ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Importer, Place
from faultline.importers.reading import Reading
from faultline.importers.swebench.boards import read_boards
from faultline.importers.swebench.decide import NOT_APPLIED, Evidence, Report, decide, read_report
from faultline.importers.swebench.gather import gather, written_patch
from faultline.importers.swebench.layout import holds_family, sorted_files
from faultline.importers.swebench.predictions import Prediction, Predictions
from faultline.importers.swebench.runs import Run, plain
from faultline.importers.swebench.summary import Verdict
from faultline.importers.swebench.trajectory import Ended, atif
from faultline.importers.tree import SourceTree, shown
from faultline.kinds import digest_bytes, safe_text
from faultline.records import PublishedNumber

_LOG = 4 * 2**20
"""Bytes of a log that are looked through; the harness writes the fault at its end, and far less in all."""


class SweBench(Importer):
    """Predictions, evaluations, submissions and trajectories; a run id and a model are one run."""

    name = "swebench"
    summary = (
        "SWE-bench: predictions, reports, summaries, submissions, mini-swe-agent and SWE-agent trajectories, leaderboards.json"
    )
    options: ClassVar[Mapping[str, str]] = {"dataset": "the dataset of runs whose files name none"}

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether a name or first bytes tell of predictions, evaluations, trajectories or leaderboards."""
        return holds_family(tree)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield the runs: evaluations and submissions, what nobody evaluated, and entries of leaderboards that have rows."""
        files = sorted_files(reading)
        for run in gather(reading, files):
            yield _Reader(reading, run).foreign()
        for path in files.boards:
            try:
                yield from read_boards(reading, path)
            except FaultlineError as error:
                reading.unreadable(error)


@dataclass
class _Reader:
    """One run on its way to neutral values."""

    reading: Reading
    run: Run
    contradicted: list[str] = field(default_factory=list)
    """Instances of which report and summary say different things."""
    edited: list[str] = field(default_factory=list)
    """Instances whose trajectory handed in something else than the prediction."""

    def foreign(self) -> ForeignRun:
        """Return the run as neutral values."""
        run = self.run
        best = run.summaries[0] if run.summaries else None
        seen = run.instances.union(*(made.instances for made in run.made))
        planned = best.dataset if best is not None and best.dataset is not None else seen
        outside = sorted(seen - planned)
        # Planned, and nothing was handed in or left behind: recorded as missing by the core.
        spoken = set(run.logs).union(*(made.instances for made in run.made))
        missing = best.incomplete - spoken if best else frozenset()
        trials = [self._trial(instance) for instance in sorted((seen & planned) - missing)]
        dataset = run.dataset or self.reading.option("dataset")
        suite = f"{dataset} {run.split}".strip()
        ends = [end for made in run.made for _, end in made.trajectories.values()]
        paths = list(dict.fromkeys([*run.paths, *(path for made in run.made for path in made.paths)]))
        self.reading.used(*paths)
        for told in (run.homeless, *(made.homeless for made in run.made)):
            self.reading.homeless.update(told)
        return ForeignRun(
            name=self.reading.redactor.text(run.run_id) or "run",
            native_id="|".join((dataset, run.split, run.run_id, plain(run.model))),
            agent=_agent(run, ends),
            tasks={instance: ForeignTask(instance, suite=suite) for instance in planned},
            trials=(*trials, *self._again(trials)),
            files=tuple(paths),
            planned=dict.fromkeys(sorted(planned), 1),
            missing_rule="SW-09",
            harness="swebench" if run.evaluated else "",
            protocol=self._protocol(suite),
            headlines=self._headlines(trials),
            notes=tuple(self._notes(outside)),
        )

    def _trial(self, instance: str) -> ForeignTrial:
        run, reading = self.run, self.reading
        prediction = next((made.predictions[0].rows.get(instance) for made in run.made if made.predictions), None)
        path, end = next((made.trajectories[instance] for made in run.made if instance in made.trajectories), ("", None))
        patch = None if prediction is None else prediction.patch
        evidence = self._evidence(instance, prediction, end)
        decided = decide(instance, evidence)
        self._compare(instance, evidence, decided.verdict, end)
        return ForeignTrial(
            native_id=f"{run.run_id}/{plain(run.model)}/{instance}",
            task=instance,
            place=prediction.place if prediction else Place(self._evidence_path(instance, path)),
            rule=decided.rule,
            verdict=decided.verdict,
            index=0,
            native_status=decided.words,
            message=end.message if end is not None else "",
            tests=evidence.report.tests if evidence.report is not None else None,
            attempts=(_attempt(end),),
            trajectory=partial(atif, reading.tree, path, instance, run.run_id) if path else None,
            extra={"patch": _digest(patch)} if patch else {},
        )

    def _evidence(self, instance: str, prediction: Prediction | None, end: Ended | None) -> Evidence:
        """Join what is known of an instance; without a trajectory, the list of exit statuses tells how the agent ended."""
        run = self.run
        status = end.exit_status if end is not None else None
        if status is None:
            status = next((made.statuses[instance] for made in run.made if instance in made.statuses), None)
        texts = [logs["run_instance.log"] for logs in run.logs.get(instance, ()) if "run_instance.log" in logs]
        return Evidence(
            patch=None if prediction is None else prediction.patch.strip(),
            exit_status=status,
            report=self._report(instance),
            not_applied=any(NOT_APPLIED in self.reading.tree.head(path, _LOG) for path in texts),
            summary=run.summaries[0] if run.summaries else None,
            logged=instance in run.logs,
            evaluated=run.evaluated,
            other_patch=prediction is not None and self._other_patch(instance, prediction),
        )

    def _compare(self, instance: str, evidence: Evidence, verdict: Verdict, end: Ended | None) -> None:
        """Note where weaker evidence says otherwise than what decided."""
        judged = evidence.report is not None and evidence.report.resolved is not None
        if judged and evidence.summary is not None and evidence.summary.verdict(instance) not in (None, verdict):
            self.contradicted.append(instance)
        handed_in = end.submission if end is not None else None
        if handed_in is not None and evidence.patch is not None and handed_in.strip() != evidence.patch:
            self.edited.append(instance)

    def _report(self, instance: str) -> Report | None:
        """Return the report of an instance; copies of one log that say different things are a conflict."""
        found: Report | None = None
        first = ""
        for logs in self.run.logs.get(instance, ()):
            path = logs.get("report.json")
            if path is None:
                continue
            try:
                report = read_report(self.reading.tree.json(path), instance)
            except FaultlineError:
                # The harness counts a report that is empty or cut short as an error of its own.
                report = Report(None)
            if found is None:
                found, first = report, path
            elif report != found:
                self.reading.unreadable(
                    ConflictError(
                        path, "two reports of one run say different things of one instance", expected=f"what {first} says"
                    )
                )
        return found

    def _other_patch(self, instance: str, prediction: Prediction) -> bool:
        """Return whether another patch than the prediction was judged: a conflict, and reported as one."""
        judged = written_patch(self.reading, self.run, instance)
        if judged is None or judged == prediction.patch.strip():
            return False
        self.reading.unreadable(
            ConflictError(
                str(prediction.place),
                f"the log of {safe_text(instance, 120)} was made for another patch",
                expected=_digest(judged),
                found=_digest(prediction.patch.strip()),
                next_step="evaluate it under a run id of its own, or import with --allow-partial, which does not score it",
            )
        )
        return True

    def _evidence_path(self, instance: str, trajectory: str) -> str:
        """Return a file that speaks of an instance without a prediction."""
        for logs in self.run.logs.get(instance, ()):
            return logs.get("report.json") or next(iter(logs.values()))
        paths = [
            *(item.path for item in self.run.summaries),
            trajectory,
            *(path for made in self.run.made for path in made.paths),
        ]
        return next(path for path in paths if path)

    def _again(self, trials: list[ForeignTrial]) -> Iterator[ForeignTrial]:
        """Yield each result once more for each place where it stands again, in whatever shape."""
        by_instance = {trial.task: trial for trial in trials}
        for predictions in self._predictions():
            yield from (replace(by_instance[name], place=place) for name, place in predictions.repeated if name in by_instance)
        for summary in self.run.summaries[1:]:
            for instance in sorted(summary.named & by_instance.keys() - summary.incomplete):
                trial = by_instance[instance]
                if summary.verdict(instance) == trial.verdict:
                    yield replace(trial, place=Place(summary.path, member=instance))
                else:
                    self.contradicted.append(instance)
        for instance, folders in sorted(self.run.logs.items()):
            for logs in folders[1:]:
                if instance in by_instance:
                    yield replace(by_instance[instance], place=Place(next(iter(logs.values()))))

    def _predictions(self) -> list[Predictions]:
        return [found for made in self.run.made for found in made.predictions]

    def _protocol(self, suite: str) -> dict[str, str]:
        run = self.run
        told = {
            "dataset": suite,
            "evaluated at": run.created_at,
            "shape": run.summaries[0].shape if run.summaries else "",
            "predictions": readable(sorted({PurePosixPath(item.path).name for item in self._predictions()}), 5),
        }
        return {key: value for key, value in told.items() if value}

    def _headlines(self, trials: list[ForeignTrial]) -> tuple[PublishedNumber, ...]:
        """Return each summary's number of resolved instances beside that of the rows, and counts that its lists contradict."""
        passed = float(sum(trial.verdict == "passed" for trial in trials))
        found = []
        for summary in self.run.summaries:
            where = shown(summary.path)
            told = summary.published.get("resolved_instances", float(len(summary.resolved)))
            note = "" if told == passed else "the published number is another one than that of the best evidence"
            found.append(PublishedNumber(name=f"resolved in {where}", published=told, recomputed=passed, note=note))
            for name, (count, length) in summary.counted().items():
                note = "the file's own list has another length"
                found.append(PublishedNumber(name=f"{name} in {where}", published=count, recomputed=float(length), note=note))
        return tuple(found)

    def _notes(self, outside: list[str]) -> Iterator[str]:
        run = self.run
        if outside:
            yield f"{len(outside)} instances are not of the dataset, and never count (SW-10): {readable(outside, 5)}"
        if unlike := sorted({name for found in self._predictions() for name in found.unlike}):
            yield f"{len(unlike)} instances have several patches in one file, of which the last counts: {readable(unlike, 5)}"
        if self.contradicted:
            names = sorted(set(self.contradicted))
            yield f"a summary contradicts better evidence on {len(names)} instances, which counts: {readable(names, 5)}"
        if self.edited:
            names = sorted(self.edited)
            yield f"{len(names)} trajectories handed in something else than the prediction: {readable(names, 5)}"
        if len(run.summaries) > 1:
            yield f"the run stands in {len(run.summaries)} shapes: {readable([item.path for item in run.summaries], 10)}"
        if not run.evaluated:
            yield "nothing of an evaluation was found: there are no verdicts"
        elif run.summaries and run.summaries[0].dataset is None:
            yield "the size of the dataset is not told: instances without a prediction are not in the plan"


def _attempt(end: Ended | None) -> ForeignAttempt:
    if end is None:
        return ForeignAttempt()
    return ForeignAttempt(started_at=end.started_at, ended_at=end.ended_at, usage=end.usage, cost=end.cost)


def _agent(run: Run, ends: list[Ended]) -> ForeignAgent:
    """Return who worked: the agent of the trajectories, else the submission's name; the model as predictions name it."""
    end = next((item for item in ends if item.agent), None)
    control: Literal["", "reference"] = "reference" if run.model == "gold" else ""
    return ForeignAgent(
        name=end.agent if end else run.entry,
        version=end.version if end else "",
        model=run.model or (end.model if end else ""),
        control=control,
    )


def _digest(text: str) -> str:
    return digest_bytes(text.encode("utf-8", "backslashreplace"))
