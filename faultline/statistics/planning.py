"""What a design can find before anything is run: the smallest true difference, by tasks and trials alone."""

import math

from scipy.special import ndtri

from faultline.statistics.results import LEVEL, POWER, require_level

BETWEEN = 1 / 9
"""Variance over tasks of the true difference of two agents, unless something better is known (Miller 2024)."""
WITHIN = 1 / 6
"""Variance of one trial around its task's own chance to pass: that of chances spread evenly from 0 to 1."""


def detectable_by_design(
    tasks: int, trials: int, *, between: float = BETWEEN, within: float = WITHIN, level: float = LEVEL, power: float = POWER
) -> float:
    """Return the true difference of macro pass@1 that a paired comparison of two agents would find with some power.

    ``tasks`` independent tasks, or templates, with ``trials`` independent trials of each for either agent; a two-sided claim at
    ``level``. (z + z') · √((between + 2 · within / trials) / tasks), at most 1; Miller 2024, section 5. No result enters it.
    Raises :class:`ValueError` for no task, no trial or a variance below 0.
    """
    require_level(level)
    require_level(power)
    if tasks < 1 or trials < 1 or min(between, within) < 0:
        raise ValueError("a design has tasks, trials, and variances of at least 0")
    z = float(ndtri(0.5 + level / 2) + ndtri(power))
    return min(1.0, z * math.sqrt((between + 2 * within / trials) / tasks))
