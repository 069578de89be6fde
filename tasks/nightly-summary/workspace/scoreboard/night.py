"""One night from log lines to numbers or text: what the command line and the dashboard call."""

from scoreboard.policy import policy_from
from scoreboard.reader import read_attempts
from scoreboard.report import render
from scoreboard.summary import summarise


def summarise_night(lines, settings):
    """The summary of the night whose log lines are given."""
    return summarise(read_attempts(lines), policy_from(settings))


def night_report(lines, settings):
    """The same as a table."""
    return render(summarise_night(lines, settings))
