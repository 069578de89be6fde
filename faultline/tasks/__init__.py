"""Task folders: load and check them, draw variants, know them by their digest, list the catalogue of a benchmark.

Reads the file system below the folder it is given and writes only workspaces that it is asked to prepare.
Front doors: :func:`load_task`, :func:`load_tasks` and :func:`materialise`.
"""

from faultline.tasks.audits import OPEN, SIGNATURE, AuditFiles, UnfinishedAudit, read_audit
from faultline.tasks.classes import FAILURE_CLASSES, FailureClassDefinition
from faultline.tasks.folder import Overlay, Task, load_task, load_tasks
from faultline.tasks.outline import CheckOutline
from faultline.tasks.trees import Tree, is_editable, read_beneath, read_tree, tree_digest, tree_listing, write_tree
from faultline.tasks.variants import ISSUE_FILE, TaskVariant, apply_overlay, materialise, pin_task

__all__ = [
    "FAILURE_CLASSES",
    "ISSUE_FILE",
    "OPEN",
    "SIGNATURE",
    "AuditFiles",
    "CheckOutline",
    "FailureClassDefinition",
    "Overlay",
    "Task",
    "TaskVariant",
    "Tree",
    "UnfinishedAudit",
    "apply_overlay",
    "is_editable",
    "load_task",
    "load_tasks",
    "materialise",
    "pin_task",
    "read_audit",
    "read_beneath",
    "read_tree",
    "tree_digest",
    "tree_listing",
    "write_tree",
]
