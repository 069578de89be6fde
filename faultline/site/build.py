"""Build the site of a benchmark: exactly what ``mkdocs build`` does in its folder, with the target named.

Settings that the folder's ``mkdocs.yml`` leaves out are those of :mod:`faultline.site.defaults`.
"""

import logging
from pathlib import Path

from faultline.errors import BadInputError, FaultlineError, MissingInputError
from faultline.kinds import safe_text
from faultline.site.defaults import missing_settings


def build_site(root: Path, target: Path, strict: bool = False) -> Path:
    """Build the site of the benchmark in ``root`` into ``target`` and return ``target``.

    Writes files below ``target``, which is emptied first. Raises :class:`MissingInputError` without a ``mkdocs.yml`` and
    :class:`BadInputError` when MkDocs refuses the settings, a page, or, with ``strict``, a record.
    """
    # Both are heavy, and only a build needs them.
    from mkdocs.commands.build import build  # noqa: PLC0415
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.exceptions import Abort, MkDocsException  # noqa: PLC0415
    from mkdocs.utils.yaml import yaml_load  # noqa: PLC0415

    settings = root / "mkdocs.yml"
    if not settings.is_file():
        raise MissingInputError(
            "mkdocs.yml",
            "this folder has no settings for its site",
            next_step="name a benchmark's folder, or give this one a name: echo 'site_name: My results' > mkdocs.yml",
        )
    _refuse_a_source_folder(root, target)
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    complaints: list[str] = []
    loggers = [logging.getLogger(name) for name in ("mkdocs.commands.build", "mkdocs.config")]

    def below_error(record: logging.LogRecord) -> bool:
        """Keep MkDocs from printing an error that is raised as well, and remember what it said."""
        if record.levelno >= logging.ERROR:
            complaints.append(record.getMessage())
        return record.levelno < logging.ERROR

    for logger in loggers:
        logger.addFilter(below_error)
    try:
        with settings.open("rb") as file:
            own = yaml_load(file)
        # An absolute path: MkDocs would take a relative one from the folder of its settings.
        config = load_config(str(settings), site_dir=str(target.absolute()), strict=strict, **missing_settings(own, root))
        if "faultline" not in config.plugins:
            raise BadInputError(
                "mkdocs.yml",
                "its plugins do not name faultline, so there would be no card",
                next_step="add it, or leave plugins out",
            )
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
        # Of wrong settings the error says only that there were some; the log says which.
        said = "; ".join(complaints) if isinstance(error, Abort) and complaints else str(cause)
        raise BadInputError("mkdocs.yml", "the site could not be built", found=safe_text(said, 300)) from error
    finally:
        for logger in loggers:
            logger.removeFilter(below_error)
    return target


def _refuse_a_source_folder(root: Path, target: Path) -> None:
    """Refuse to empty a folder that holds the benchmark or a part of it."""
    wanted, top = target.resolve(), root.resolve()
    kept = [top, *(top / name for name in ("tasks", "runs", "site_src"))]
    if any(wanted == folder or wanted in folder.parents or (folder != top and folder in wanted.parents) for folder in kept):
        raise BadInputError(target.name, "the site cannot be built over the benchmark", next_step="choose another folder")
