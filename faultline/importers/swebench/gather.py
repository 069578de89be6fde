"""Read the files of a tree and put them into runs; a file that cannot be read is reported, and the others go on."""

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.reading import Reading
from faultline.importers.swebench.layout import Files, beneath, log_place, owner, trajectory_place
from faultline.importers.swebench.predictions import read_predictions
from faultline.importers.swebench.runs import Made, Run, attach, merge_shapes, plain, summary_place
from faultline.importers.swebench.summary import LISTS, Summary, read_summary
from faultline.importers.swebench.trajectory import Ended, read_end
from faultline.importers.tree import shown
from faultline.kinds import safe_text

P = ParamSpec("P")
T = TypeVar("T")
_PATCH = "patch.diff"
_READ = ("report.json", "run_instance.log", _PATCH)
_SHAPES = ("summary, version 2 with tiers", "summary, version 2", "summary, version 1", "submission, summary")


def gather(reading: Reading, files: Files) -> list[Run]:
    """Return the runs of a tree: evaluations and submissions with what they were made from, then what nobody evaluated."""
    made, submitted = _made(reading, files)
    runs = _evaluations(reading, files, made) + _submissions(reading, files, submitted)
    patches = {at: _written_patches(reading, run) for at, run in enumerate(runs) if not run.made}
    rest = attach(runs, made, patches)
    for run in runs:
        run.summaries.sort(key=lambda item: (_SHAPES.index(item.shape) if item.shape in _SHAPES else len(_SHAPES), item.path))
        if not run.model:
            run.model = next((item.model for item in run.made if item.model), "")
    return merge_shapes(runs) + [_alone(item, reading.tree.name) for item in rest]


def _made(reading: Reading, files: Files) -> tuple[list[Made], dict[str, list[Made]]]:
    """Return what agents made, by folder and model: apart, that of submissions by the submission's folder."""
    groups: dict[tuple[str, str], Made] = {}
    for path in files.predictions:
        for found in _try(reading, path, read_predictions, reading, path) or ():
            folder = path.rpartition("/")[0]
            group = groups.setdefault((folder, found.model), Made(folder, found.model))
            group.predictions.append(found)
            group.paths.append(path)
    for path in files.trajectories:
        end = _try(reading, path, _end, reading, path)
        if end is None:
            continue
        folder, instance = trajectory_place(path)
        group = _group(groups, folder, end.model)
        group.model = group.model or end.model
        if (end.instance or instance) in group.trajectories:
            reading.skip(path, "another trajectory of an instance that has one")
            continue
        group.trajectories[end.instance or instance] = path, end
        group.paths.append(path)
        group.homeless.update(end.homeless)
    for path in files.statuses:
        statuses = _try(reading, path, _statuses, reading, path)
        if statuses is not None:
            group = _group(groups, path.rpartition("/")[0], "")
            # The newest file has the last word, as a resumed run writes another one.
            group.statuses |= statuses
            group.paths.append(path)
    submitted: dict[str, list[Made]] = {}
    others = []
    for item in groups.values():
        place = owner(f"{item.folder}/", files.submissions)
        if place is None:
            others.append(item)
        else:
            submitted.setdefault(place, []).append(item)
    return others, submitted


def _group(groups: dict[tuple[str, str], Made], folder: str, model: str) -> Made:
    """Return what was made in a folder, by the model if it is told there, else by the only one."""
    if (folder, model) in groups:
        return groups[folder, model]
    there = [item for (where, _), item in groups.items() if where == folder]
    # Predictions may be named after the agent, and trajectories after the model: one folder is one run of an agent.
    return there[0] if len(there) == 1 else groups.setdefault((folder, model), Made(folder, model))


def _evaluations(reading: Reading, files: Files, made: list[Made]) -> list[Run]:
    runs: dict[tuple[str, str], Run] = {}
    for folder, logs in files.logs.items():
        if owner(f"{folder}/", files.submissions) is not None:
            continue
        run_id, model, instance = log_place(folder, reading.tree.name)
        top = folder.removesuffix(f"/{model}/{instance}")
        run = runs.setdefault((run_id, model), Run(run_id, model, top))
        run.logs.setdefault(instance, []).append(logs)
        run.paths += _read_of(logs, reading)
    models = {item.model for item in made} | {model for _, model in runs}
    for path in files.summaries:
        if owner(path, files.submissions) is not None:
            continue
        summary = _try(reading, path, _read_results, reading, path, frozenset())
        if summary is not None:
            model, run_id = summary_place(path, models, [run_id for run_id, _ in runs])
            run = runs.setdefault((run_id, model), Run(run_id, model, path.rpartition("/")[0]))
            run.summaries.append(summary)
            run.paths.append(path)
    for path in files.descriptions:
        _describe(reading, path, [run for run in runs.values() if beneath(run.folder + "/", path.rpartition("/")[0])])
    known = {plain(item.model): item.model for item in made}
    for run in runs.values():
        run.model = known.get(run.model, run.model)
    return [runs[key] for key in sorted(runs)]


def _describe(reading: Reading, path: str, runs: list[Run]) -> None:
    value = _try(reading, path, reading.tree.json, path) if runs else None
    if isinstance(value, dict):
        for run in runs:
            run.dataset, run.split, run.created_at = (_text(value, key) for key in ("dataset", "split", "created_at"))
            run.paths.append(path)


def _submissions(reading: Reading, files: Files, submitted: Mapping[str, list[Made]]) -> list[Run]:
    found = []
    for folder, parts in sorted(files.submissions.items()):
        own = submitted.get(folder, [])
        predictions = next((item for made in own for item in made.predictions), None)
        above = folder.split("/")
        run = Run(
            run_id=above[-1] or reading.tree.name,
            model=predictions.model if predictions else "",
            folder=folder,
            made=sorted(own, key=lambda item: not item.predictions),
            split=above[-2] if above[-3:-2] == ["evaluation"] else "",
        )
        if path := parts.get("metadata.yaml"):
            value = _try(reading, path, _yaml, reading, path)
            if isinstance(value, dict):
                info = value.get("info")
                run.entry = _text(value, "name") or (_text(info, "name") if isinstance(info, dict) else "")
                run.homeless.update(f"metadata.yaml {safe_text(str(key), 80)}" for key in value if key != "name")
                run.paths.append(path)
        for where, logs in files.logs.items():
            if owner(f"{where}/", files.submissions) == folder:
                run.logs.setdefault(where.split("/")[-1], []).append(logs)
                run.paths += _read_of(logs, reading)
        if path := parts.get("results.json"):
            known = frozenset(run.logs).union(*(made.instances for made in own))
            summary = _try(reading, path, _read_results, reading, path, known)
            if summary is not None:
                run.summaries.append(summary)
                run.paths.append(path)
        if run.evaluated or run.made:
            found.append(run)
    return found


def _read_results(reading: Reading, path: str, known: frozenset[str]) -> Summary:
    """Read a summary; lists that name what was resolved mean nothing without something that names the rest."""
    found = read_summary(reading.tree.json(path), path, known)
    if found.shape == LISTS and not known:
        reading.unreadable(
            BadInputError(
                shown(path),
                "these lists do not name the instances that were not resolved, and neither predictions nor logs are at hand",
                next_step="put all_preds.jsonl beside results/; where it is a pointer of Git LFS, fetch it first",
            )
        )
    return found


def _end(reading: Reading, path: str) -> Ended:
    return read_end(reading.tree.json(path))


def _read_of(logs: Mapping[str, str], reading: Reading) -> list[str]:
    """Return the files of an instance that are read; the others are told to be left alone."""
    for name, path in logs.items():
        if name not in _READ:
            reading.skip(path, "output of tests and scripts, which the reports sum up")
    return [path for name, path in logs.items() if name in _READ]


def _written_patches(reading: Reading, run: Run) -> dict[str, str]:
    """Return the patches that the harness wrote beside its logs."""
    return {instance: patch for instance in run.logs if (patch := written_patch(reading, run, instance)) is not None}


def written_patch(reading: Reading, run: Run, instance: str) -> str | None:
    """Return the patch that was judged, without the white space at its ends; ``None`` when it was not kept."""
    for logs in run.logs.get(instance, ()):
        if path := logs.get(_PATCH):
            return reading.tree.content(path).decode("utf-8", "backslashreplace").strip()
    return None


def _alone(made: Made, root: str) -> Run:
    """Return what nobody evaluated as a run of its own, named after its folder."""
    name = made.folder.split("/")[-1] or root.split(".", maxsplit=1)[0] or "run"
    return Run(run_id=name, model=made.model, folder=made.folder, made=[made])


def _statuses(reading: Reading, path: str) -> dict[str, str]:
    """Return the exit status by instance, as mini-swe-agent lists them."""
    value = _yaml(reading, path)
    groups = value.get("instances_by_exit_status") if isinstance(value, dict) else None
    if not isinstance(groups, dict):
        raise BadInputError(shown(path), "these are no exit statuses", expected="instances_by_exit_status")
    return {
        instance: str(status)
        for status, instances in groups.items()
        for instance in (instances if isinstance(instances, list) else ())
        if isinstance(instance, str)
    }


def _yaml(reading: Reading, path: str) -> Any:
    """Read a YAML file; references within it, by which a few bytes become many, are refused."""
    import yaml  # noqa: PLC0415  (few imports need it)

    text = reading.tree.text(path, 16 * 2**20)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise BadInputError(shown(path), "this YAML refers to itself", expected="plain values")
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise BadInputError(shown(path), "this is not YAML", found=safe_text(str(error), 160)) from error


def _try(reading: Reading, path: str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return what a file holds; one that cannot be read is reported, and ``None`` returned."""
    try:
        return read(*args, **kwargs)
    except FaultlineError as error:
        reading.unreadable(error)
        reading.skip(path, "cannot be read")
        return None


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
