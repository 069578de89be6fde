"""The SWE-bench family: predictions, evaluations in every shape, submissions, agents' trajectories, and the site's table."""

from faultline.importers.swebench.importer import SweBench

__all__ = ["SweBench"]
