"""Judging flood forecasts: resampling, evaluation and repeat studies of readings."""
