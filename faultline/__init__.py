"""Faultline: has a benchmark of coding agents earned the right to rank anything?

The rooms, from the ground up; a room imports only rooms below it:

==============================  ====================================================================
``kinds errors clock checks``   names for plain things, errors, time and randomness, the check vocabulary
``records``                     the frozen vocabulary: manifest, trial, attempt, outcome, audit, seal
``statistics``                  intervals; arrays in, frozen results out
``tasks sandbox ledger``        task folders; where untrusted code runs; the exactly-once store
``grading agents review``       the judge; who repairs; what people examined
``execution gates``             the life of a trial; what must hold before a ranking may exist
``card``                        the one model that everything public is a view of
``site``                        the card as pages
``cli``                         the commands
==============================  ====================================================================
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("faultline")
except PackageNotFoundError:  # a source tree on the path without an installation
    __version__ = "0+source"

__all__ = ["__version__"]
