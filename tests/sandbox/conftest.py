"""Which sandboxes the suite is pointed at: those of this machine, or one of an installed package, by ``--sandbox NAME``."""

from faultline.sandbox import IMPLEMENTATIONS, SANDBOXES, open_sandbox, sandbox_named


def pytest_generate_tests(metafunc):
    """Try every promise on each sandbox; ``isolated`` are those that say that they keep the host out of sight."""
    named = metafunc.config.getoption("--sandbox")
    if named:
        open_sandbox(*sandbox_named(named))  # one that this host cannot provide is an error and no empty suite
    kinds = {named: SANDBOXES.load(named)} if named else {str(kind.level): kind for kind in IMPLEMENTATIONS}
    for fixture, chosen in (("sandbox", kinds), ("isolated", {name: kind for name, kind in kinds.items() if kind.alone})):
        if fixture in metafunc.fixturenames:
            there = [name for name, kind in chosen.items() if not kind().unfit_because()]
            metafunc.parametrize(fixture, there, ids=str, indirect=True)
