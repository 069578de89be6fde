"""Build the site of a benchmark: exactly what ``mkdocs build`` does in its folder, with the target named."""

import logging
from pathlib import Path

from faultline.errors import BadInputError, FaultlineError, MissingInputError
from faultline.kinds import safe_text


def build_site(root: Path, target: Path, strict: bool = False) -> Path:
    """Build the site of the benchmark in ``root`` into ``target`` and return ``target``.

    Writes files below ``target``, which is emptied first. Raises :class:`MissingInputError` without a ``mkdocs.yml`` and
    :class:`BadInputError` when MkDocs refuses the settings, a page, or, with ``strict``, a record.
    """
    # Both are heavy, and only a build needs them.
    from mkdocs.commands.build import build  # noqa: PLC0415
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415

    settings = root / "mkdocs.yml"
    if not settings.is_file():
        raise MissingInputError("mkdocs.yml", "this folder has no settings for its site", next_step="name a benchmark's folder")
    _refuse_a_source_folder(root, target)
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    builder = logging.getLogger("mkdocs.commands.build")
    builder.addFilter(_below_error)
    try:
        # An absolute path: MkDocs would take a relative one from the folder of its settings.
        config = load_config(str(settings), site_dir=str(target.absolute()), strict=strict)
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
    except MkDocsException as error:
        # MkDocs ends with an error that says "aborted"; what happened is the one it was handling.
        cause = error.__context__ or error
        if isinstance(cause.__cause__, FaultlineError):
            raise cause.__cause__ from error
        raise BadInputError("mkdocs.yml", "the site could not be built", found=safe_text(str(cause), 300)) from error
    finally:
        builder.removeFilter(_below_error)
    return target


def _below_error(record: logging.LogRecord) -> bool:
    """Keep MkDocs from printing an error that is raised as well."""
    return record.levelno < logging.ERROR


def _refuse_a_source_folder(root: Path, target: Path) -> None:
    """Refuse to empty a folder that holds the benchmark or a part of it."""
    wanted, top = target.resolve(), root.resolve()
    kept = [top, *(top / name for name in ("tasks", "runs", "site_src"))]
    if any(wanted == folder or wanted in folder.parents or (folder != top and folder in wanted.parents) for folder in kept):
        raise BadInputError(target.name, "the site cannot be built over the benchmark", next_step="choose another folder")
