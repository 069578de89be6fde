"""Words and numbers for the weekly mail."""
import statistics


def spread(study):
    """Return the standard deviation of the accuracy over the repeats of a study (0.0 for one)."""
    scores = [repeat["accuracy"] for repeat in study]
    return statistics.stdev(scores) if len(scores) > 1 else 0.0


def describe(study):
    """Return one line: mean accuracy, spread, number of repeats."""
    mean = statistics.fmean(repeat["accuracy"] for repeat in study)
    return f"accuracy {mean:.3f}, spread {spread(study):.3f}, {len(study)} repeats"
