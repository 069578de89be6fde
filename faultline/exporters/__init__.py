"""Records to other people's formats: each exporter turns a benchmark and its card into files, and says what is lost.

Reads what it is given and sealed runs; writes nothing but the folder that :func:`write_export` is asked for. Front doors:
:class:`Exporter`, :func:`open_exporter` and :func:`write_export`. Nothing but the command line imports this room.
"""

from faultline.exporters.interface import Export, Exporter, Subject
from faultline.exporters.registry import EXPORTERS, exporter_names, open_exporter
from faultline.exporters.write import export, write_export

__all__ = ["EXPORTERS", "Export", "Exporter", "Subject", "export", "exporter_names", "open_exporter", "write_export"]
