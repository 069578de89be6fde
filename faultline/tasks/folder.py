"""A task folder, loaded and checked: everything about it that can be wrong is reported at once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faultline.errors import BadInputError, FaultlineError, MissingInputError, raise_all
from faultline.records import Audit, Correction, TaskCorrections, TaskDefinition, TaskVariants
from faultline.records.base import digest_of_plain
from faultline.tasks.audits import AuditFiles, read_audits
from faultline.tasks.classes import FAILURE_CLASSES
from faultline.tasks.outline import CheckOutline, outline_checks, outline_tests
from faultline.tasks.skins import renamer
from faultline.tasks.toml import read_text, read_toml
from faultline.tasks.trees import Tree, is_editable, read_tree, tree_listing

_DIGESTED = ("task.toml", "issue.md", "variants.toml", "workspace", "hidden", "repairs")
"""What makes a task itself. Audits and corrections are about it, and so are not part of it."""


@dataclass(frozen=True)
class Overlay:
    """A repair: files to put over the workspace, and files to remove."""

    files: Tree
    deleted: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """A task as its folder holds it, in the words of its first skin."""

    path: Path
    definition: TaskDefinition
    issue: str
    workspace: Tree
    hidden_source: str
    repairs: Mapping[str, Overlay]
    """By folder name: ``reference``, ``valid-…``, ``wrong-…``."""
    variants: TaskVariants
    checks: tuple[CheckOutline, ...]
    public_tests: tuple[str, ...]
    corrections: tuple[Correction, ...]
    """Oldest first."""
    audits: tuple[Audit, ...]
    digest: str
    """Of everything but audits and corrections; evidence is bound to it."""
    audit_files: AuditFiles = field(default_factory=AuditFiles)
    """What else lies among the audits: signatures, unfinished checklists, files that do not read."""

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.definition.id


def load_tasks(folder: Path) -> tuple[Task, ...]:
    """Load every task below a folder, by id; raises all faults of all tasks at once."""
    if not folder.is_dir():
        raise MissingInputError(str(folder), "there is no folder of tasks", next_step="run the command inside a benchmark")
    tasks: list[Task] = []
    errors: list[FaultlineError] = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "_")):
            try:
                tasks.append(load_task(path))
            except FaultlineError as error:
                errors += getattr(error, "errors", (error,))
    raise_all(errors)
    return tuple(tasks)


def load_task(path: Path) -> Task:
    """Load one task folder.

    Raises :class:`BadInputError`, or ``Faults`` with every fault found. What is wrong with an audit is no fault of the task,
    and stands in its ``audit_files``.
    """
    if not path.is_dir():
        raise MissingInputError(str(path), "there is no such task folder")
    definition = read_toml(TaskDefinition, path / "task.toml")
    variants = read_toml(TaskVariants, path / "variants.toml")
    issue, hidden_source = read_text(path / "issue.md"), read_text(path / "hidden" / "checks.py")
    workspace = read_tree(path / "workspace")
    audits, audit_files = read_audits(path / "audits", path.name)
    task = Task(
        path=path,
        definition=definition,
        issue=issue,
        workspace=workspace,
        hidden_source=hidden_source,
        repairs={folder.name: _overlay(folder) for folder in sorted((path / "repairs").glob("*")) if folder.is_dir()},
        variants=variants,
        checks=outline_checks(hidden_source, str(path / "hidden" / "checks.py")),
        public_tests=outline_tests(workspace, str(path / "workspace")),
        corrections=_corrections(path),
        audits=audits,
        digest=_task_digest(path),
        audit_files=audit_files,
    )
    raise_all(_faults(task))
    return task


def _overlay(folder: Path) -> Overlay:
    files = read_tree(folder)
    deleted = tuple(files.pop("DELETED", b"").decode("utf-8").split())
    return Overlay(files, deleted)


def _corrections(path: Path) -> tuple[Correction, ...]:
    file = path / "corrections.toml"
    return read_toml(TaskCorrections, file).correction if file.exists() else ()


def _task_digest(path: Path) -> str:
    listing: dict[str, str] = {}
    for name in _DIGESTED:
        part = path / name
        tree = read_tree(part, missing_ok=True) if part.is_dir() else {"": part.read_bytes()}
        listing |= {f"{name}/{inner}".rstrip("/"): digest for inner, digest in tree_listing(tree).items()}
    return digest_of_plain(listing)


def _faults(task: Task) -> list[FaultlineError]:
    """Return what contradicts itself inside a task whose files each have the right form."""
    definition, found = task.definition, list[FaultlineError]()
    toml = str(task.path / "task.toml")

    def fault(place: str, problem: str, **more: str) -> None:
        found.append(BadInputError(place, problem, **more))

    if definition.id != task.path.name:
        fault(f"{toml}: id", "the id is not the folder's name", expected=task.path.name, found=definition.id)
    if definition.failure_class not in FAILURE_CLASSES:
        fault(
            f"{toml}: failure_class",
            "this class is not known",
            expected=" or ".join(FAILURE_CLASSES),
            found=definition.failure_class,
        )
    for code in (definition.baseline_code, *definition.wrong.values()):
        if code not in definition.codes:
            fault(f"{toml}: codes", f"the code {code} is expected of a control and not explained")
    declared = {code for outline in task.checks for code in outline.codes}
    for code in sorted(set(definition.codes) - declared):
        fault(f"{toml}: codes.{code}", "no hidden check can give this code")
    for code in sorted(declared - set(definition.codes)):
        fault(
            f"{task.path / 'hidden' / 'checks.py'}",
            f"the code {code} is not explained",
            expected=f"an entry in codes of {toml}",
        )
    found += _repair_faults(task) + _leak_faults(task) + _skin_faults(task)
    for test in definition.public_failing:
        if test not in task.public_tests:
            fault(f"{toml}: public_failing", "there is no such public test", found=test)
    for pattern in definition.editable:
        if pattern.split("/")[0] in ("tests", "*", "**") and "/" in pattern:
            fault(f"{toml}: editable", "this pattern reaches the public tests", found=pattern)
    return found


def _repair_faults(task: Task) -> list[FaultlineError]:
    folder, found = task.path / "repairs", list[FaultlineError]()
    names = set(task.repairs)
    if "reference" not in names:
        found.append(BadInputError(str(folder / "reference"), "there is no reference repair"))
    if not any(name.startswith("valid-") for name in names):
        found.append(BadInputError(str(folder), "there is no other valid repair", expected="a folder valid-<name>"))
    wrong = {name for name in names if name.startswith("wrong-")}
    for name in sorted(wrong ^ set(task.definition.wrong)):
        problem = "this wrong repair has no reason code" if name in wrong else "there is no such wrong repair"
        found.append(BadInputError(str(folder / name), problem, expected=f"an entry in wrong of task.toml and a folder {name}"))
    for name in sorted(names - wrong - {"reference"}):
        if not name.startswith("valid-"):
            found.append(
                BadInputError(str(folder / name), "this is no kind of repair", expected="reference, valid-… or wrong-…")
            )
    for name, overlay in task.repairs.items():
        for path in (*overlay.files, *overlay.deleted):
            if not is_editable(path, task.definition.editable):
                found.append(BadInputError(str(folder / name / path), "this repair touches a file that no agent may edit"))
        found += [
            BadInputError(str(folder / name / "DELETED"), "this repair deletes a file that is not there", found=path)
            for path in overlay.deleted
            if path not in task.workspace
        ]
        if not overlay.files and not overlay.deleted:
            found.append(BadInputError(str(folder / name), "this repair changes nothing"))
    return found


def _leak_faults(task: Task) -> list[FaultlineError]:
    """The canary stands in the hidden checks and nowhere that an agent can read; the issue does not name the defect."""
    found: list[FaultlineError] = []
    canary, name = task.definition.canary, task.definition.failure_class
    if canary not in task.hidden_source:
        found.append(BadInputError(str(task.path / "hidden" / "checks.py"), "the canary of task.toml is missing here"))
    visible = {"issue.md": task.issue.encode()} | {f"workspace/{path}": data for path, data in task.workspace.items()}
    visible |= {f"repairs/{name}/{path}": data for name, repair in task.repairs.items() for path, data in repair.files.items()}
    spellings = re.compile(rb"\b" + b"[ _-]".join(re.escape(part.encode()) for part in name.split("-")), re.IGNORECASE)
    for path, data in visible.items():
        if canary.encode() in data:
            found.append(BadInputError(str(task.path / path), "the canary stands where an agent or a control can show it"))
        if not path.startswith("repairs/") and "-" in name and spellings.search(data):
            found.append(BadInputError(str(task.path / path), "this names the failure class", found=name))
    return found


def _skin_faults(task: Task) -> list[FaultlineError]:
    """A skin renames and nothing else: no two words become one, and no new word was there before."""
    place, found = str(task.path / "variants.toml"), list[FaultlineError]()
    skins = task.variants.skin
    if skins[0].rename:
        found.append(
            BadInputError(f"{place}: skin.0.rename", "the first skin is the workspace as written", expected="no renames")
        )
    if len({skin.name for skin in skins}) != len(skins):
        found.append(BadInputError(f"{place}: skin", "two skins have one name"))
    text = "\n".join([task.issue, task.hidden_source, *task.workspace, *_texts(task)])
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", text)}
    for index, skin in enumerate(skins):
        targets = list(skin.rename.values())
        found += [
            BadInputError(f"{place}: skin.{index}.rename", "the skin renames part of a reason code", found=code)
            for code in task.definition.codes
            if renamer(skin)(code) != code
        ]
        if len(set(targets)) != len(targets):
            found.append(BadInputError(f"{place}: skin.{index}.rename", "two words become one", found=skin.name))
        found += [
            BadInputError(f"{place}: skin.{index}.rename", "the new word stands in the task already", found=target)
            for target in targets
            if target.lower() in words
        ]
    return found


def _texts(task: Task) -> list[str]:
    trees = [task.workspace, *(repair.files for repair in task.repairs.values())]
    return [data.decode("utf-8", "replace") for tree in trees for data in tree.values()]
