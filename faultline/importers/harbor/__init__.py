"""Harbor's job directories: where they lie, what a trial says, how a job is put together, what it published.

Front door: :class:`Harbor`. Facts about the format are Harbor's own code, 0.26.0 and 0.1.40 (Apache-2.0).
"""

from faultline.importers.harbor.importer import Harbor

__all__ = ["Harbor"]
