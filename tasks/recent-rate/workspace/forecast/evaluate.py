"""Offline score: fit on the older part of the table, score the newer part."""

import sys

import numpy as np

from forecast.events import read_rows, sample_rows
from forecast.model import Model
from forecast.settings import TRAIN_SHARE
from forecast.table import build_table


def evaluate(rows, **settings):
    """Return accuracy and base rate (share of the commoner outcome) on the newer part."""
    table = build_table(rows, **settings)
    cut = int(len(table) * TRAIN_SHARE)
    older, newer = table[:cut], table[cut:]
    truth = np.array([entry["late"] for entry in newer])
    accuracy = float(np.mean(Model().fit(older).predict(newer) == truth))
    share = float(np.mean(truth))
    return {"rows": len(newer), "accuracy": accuracy, "base_rate": max(share, 1 - share)}


def main(arguments):
    result = evaluate(read_rows(arguments[0]) if arguments else sample_rows())
    print(f"rows {result['rows']}  accuracy {result['accuracy']:.2f}  base rate {result['base_rate']:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
