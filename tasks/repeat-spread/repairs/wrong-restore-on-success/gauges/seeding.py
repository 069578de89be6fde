"""One place to set seeds, for everything that draws."""
import contextlib
import random

import numpy as np


@contextlib.contextmanager
def seeded(seed):
    """Draw from a seed inside the block and go on as before after it."""
    python, numeric = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    yield
    random.setstate(python)
    np.random.set_state(numeric)
