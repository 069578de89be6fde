"""Which files of a tree belong to the SWE-bench family, and which of them belong together; by names first, then first bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from faultline.importers.reading import Reading
from faultline.importers.tree import SourceTree

BOARDS = "leaderboards.json"
POINTER = b"version https://git-lfs.github.com/spec/v1"
"""What stands in place of a file that Git LFS did not fetch."""
_HEAD = 65_536
_LOG_FILES = ("report.json", "run_instance.log", "patch.diff", "test_output.txt", "eval.sh")
_DECIDING = ("report.json", "run_instance.log")
_SUMMARY_SIGNS = (b'"resolved_ids"', b'"completed_ids"', b'"submitted_instances"')
_LIST_SIGNS = (b'"no_generation"', b'"no_logs"', *_SUMMARY_SIGNS)


@dataclass
class Files:
    """The files of a tree, sorted by what they are."""

    summaries: list[str] = field(default_factory=list)
    predictions: list[str] = field(default_factory=list)
    logs: dict[str, dict[str, str]] = field(default_factory=dict)
    """Folder of an instance to its files by name."""
    trajectories: list[str] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    """``run.json`` beside the models of a run."""
    submissions: dict[str, dict[str, str]] = field(default_factory=dict)
    """Folder of a submission to its ``results.json`` and ``metadata.yaml``."""
    boards: list[str] = field(default_factory=list)


def holds_family(tree: SourceTree) -> bool:
    """Return whether a tree looks like SWE-bench: by names that nothing else has, else by first bytes."""
    for path in tree.files:
        name = PurePosixPath(path).name
        if name == BOARDS or name.endswith((".traj.json", ".traj")) or "/run_evaluation/" in f"/{path}":
            return True
        if name.endswith((".json", ".jsonl")):
            head = tree.head(path, _HEAD)
            if b'"model_patch"' in head or sum(sign in head for sign in _LIST_SIGNS) > 1:
                return True
    return False


def sorted_files(reading: Reading) -> Files:
    """Return what is what; pointers of Git LFS are skipped, and said to be ones."""
    found, tree = Files(), reading.tree
    for path in tree.files:
        name = PurePosixPath(path).name
        if not name.endswith((".json", ".jsonl", ".traj", ".yaml", ".yml", ".log", ".diff", ".txt", ".sh")):
            continue
        if tree.size(path) < 1024 and tree.head(path, len(POINTER)) == POINTER:  # noqa: PLR2004  (pointers have three lines)
            reading.skip(path, "a pointer of Git LFS: the file itself was not fetched")
            continue
        _sort(found, tree, path, name)
    for folder, files in list(found.logs.items()):
        # A folder that decides nothing is not of an instance; submissions of every age keep other files of these names.
        if not any(name in files for name in _DECIDING):
            del found.logs[folder]
    for folder in list(found.submissions):
        if not is_submission(found, folder):
            del found.submissions[folder]
    return found


def is_submission(found: Files, folder: str) -> bool:
    """Return whether a folder is one of the leaderboard's submissions: results, or metadata beside predictions."""
    files = found.submissions[folder]
    beside = any(path.rpartition("/")[0] == folder for path in found.predictions)
    return "results.json" in files or ("metadata.yaml" in files and beside)


def _sort(found: Files, tree: SourceTree, path: str, name: str) -> None:
    parts = path.split("/")
    folder = "/".join(parts[:-1])
    if name == BOARDS:
        found.boards.append(path)
    elif name.endswith((".traj.json", ".traj")):
        found.trajectories.append(path)
    elif name.startswith("exit_statuses") and name.endswith((".yaml", ".yml")):
        found.statuses.append(path)
    elif name == "metadata.yaml":
        found.submissions.setdefault(folder, {})[name] = path
    elif name in _LOG_FILES:
        found.logs.setdefault(folder, {})[name] = path
    elif name == "run.json":
        found.descriptions.append(path)
    elif name.endswith((".json", ".jsonl")):
        head = tree.head(path, _HEAD)
        if (
            name == "results.json"
            and parts[-2:-1] == ["results"]
            and any(sign in head for sign in (*_LIST_SIGNS, b'"resolved"'))
        ):
            found.submissions.setdefault("/".join(parts[:-2]), {})[name] = path
        elif any(sign in head for sign in _SUMMARY_SIGNS) and b'"is_resolved"' not in head:
            found.summaries.append(path)
        elif b'"model_patch"' in head or (b'"instance_id"' in head and b'"model_name_or_path"' in head):
            found.predictions.append(path)


def log_place(folder: str, root: str) -> tuple[str, str, str]:
    """Return run id, model and instance of a log folder; what lies above the source is named after its ``root``."""
    parts = folder.split("/")
    instance = parts[-1] or root
    if parts[-2:-1] in (["logs"], []):
        return root, "", instance
    return (parts[-3] if len(parts) > 2 else root), parts[-2], instance  # noqa: PLR2004  (run id, model, instance)


def trajectory_place(path: str) -> tuple[str, str]:
    """Return the output folder and the instance of a trajectory, as far as its name tells."""
    folder, _, name = path.rpartition("/")
    instance = name.removesuffix(".json").removesuffix(".traj")
    outer, _, last = folder.rpartition("/")
    if last == instance:
        folder = outer
    return (folder.removesuffix("trajs").rstrip("/") if folder.split("/")[-1] == "trajs" else folder), instance


def beneath(path: str, folder: str) -> bool:
    """Return whether a path lies below a folder of the tree."""
    return not folder or path.startswith(f"{folder}/")


def owner(path: str, folders: Mapping[str, object]) -> str | None:
    """Return the innermost of some folders that a path lies below; ``None`` for none."""
    return max((folder for folder in folders if beneath(path, folder)), key=len, default=None)


def shared_depth(one: str, other: str) -> int:
    """Return how many folders two paths share from the root."""
    pairs: Iterator[tuple[str, str]] = zip(one.split("/"), other.split("/"), strict=False)
    depth = 0
    for left, right in pairs:
        if left != right:
            break
        depth += 1
    return depth
