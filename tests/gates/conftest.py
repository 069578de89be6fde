"""How the tests of the gates ask one gate about a made-up benchmark."""

import pytest

from faultline.gates import evaluate, gate_policy, gather


@pytest.fixture
def ask():
    """Ask a gate about a benchmark as a rehearsal, and return its result."""

    def answer(gate, benchmark, settings=None, *, publishing=False):
        return gate.answer(gather(benchmark), gate_policy(settings or {}, "pyproject.toml"), publishing=publishing)

    return answer


@pytest.fixture
def needs():
    """Return what a result says is missing, as text."""

    def text(result):
        return "\n".join(f"{item.what.label}: {item.needs}" for item in result.lacking)

    return text


@pytest.fixture
def shut():
    """Evaluate a benchmark as a rehearsal, and return what each gate that does not hold says is missing, by its id."""

    def answer(benchmark, settings=None):
        report = evaluate(gather(benchmark), gate_policy(settings or {}, "pyproject.toml"), publishing=False).report
        return {
            gate.id: "\n".join(f"{item.what.label}: {item.needs}" for item in gate.lacking)
            for gate in report.gates
            if not gate.holds
        }

    return answer
