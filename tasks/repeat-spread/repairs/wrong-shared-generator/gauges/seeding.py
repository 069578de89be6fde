"""One place to set seeds, for everything that draws."""
import random

import numpy as np

PYTHON = random.Random()
NUMPY = np.random.RandomState()


def set_seeds(seed):
    """Seed the package's own generators, so that the draws that follow can be repeated.

    With `None` both start from fresh entropy of the operating system.
    """
    PYTHON.seed(seed)
    NUMPY.seed(seed)
