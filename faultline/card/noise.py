"""What identical code shows by itself: the gap below which a difference between single passes is noise.

A pass is every case (task and variant) once. Passes are of identical code when one digest covers agent, tasks, workspaces,
checks, limits, sandbox and retry policy; passes of several runs go together exactly when it is the same.
"""

from collections.abc import Iterable, Sequence

from faultline.card.model import NoiseCard
from faultline.gates import RunFacts
from faultline.gates.instrument import passes_of
from faultline.kinds import Digest
from faultline.records import Absent, digest_of_plain, not_applicable, unknown
from faultline.statistics import Gap, Status, resolvable_gap

RECOMMENDED = 10
"""Baseline passes; with two of the candidate they can tell a difference from noise without any assumption."""


def code_digest(run: RunFacts, agent: str) -> Digest:
    """Return the digest of all that makes two passes the same experiment."""
    manifest = run.manifest
    return digest_of_plain(
        {
            "agent": run.agents[agent].content_digest(),
            "tasks": sorted(pin.content_digest() for pin in manifest.tasks or manifest.foreign_tasks),
            "cases": sorted({f"{cell.task}/{cell.variant}" for cell in manifest.cells if cell.agent == agent}),
            "sandbox": str(manifest.sandbox),
            **({} if manifest.external is None else {"external": manifest.external.content_digest()}),
            "retry": None if isinstance(retry := manifest.retry, Absent) else [str(retry.policy), retry.max_attempts],
            "estimand": str(manifest.estimand),
            "versions": dict(sorted(manifest.provenance.versions.items())),
        }
    )


def noise_of(runs: Iterable[RunFacts]) -> tuple[NoiseCard, ...]:
    """Return the noise floor of each agent in some runs, passes of identical code together."""
    groups: dict[Digest, list[tuple[RunFacts, str]]] = {}
    for run in runs:
        for agent in run.agents:
            groups.setdefault(code_digest(run, agent), []).append((run, agent))
    return tuple(_noise(digest, members) for digest, members in groups.items())


def _noise(digest: Digest, members: Sequence[tuple[RunFacts, str]]) -> NoiseCard:
    rows: dict[tuple[str, str], list[bool | None]] = {}
    for run, agent in members:
        cases, matrix = passes_of(run)
        for (task, variant, who), row in zip(cases, matrix, strict=True):
            if who == agent:
                rows.setdefault((task, variant), []).extend(row)
    gap = resolvable_gap([rows[case] for case in sorted(rows)])
    nothing = unknown(gap.reason or "not estimable")
    return NoiseCard(
        agent=members[0][1],
        runs=tuple(run.name for run, _ in members),
        code=digest,
        cases=gap.n,
        left_out=gap.left_out,
        passes=gap.passes,
        totals=gap.pass_totals,
        status=gap.status.value,
        reason=gap.reason,
        critical_gap=nothing if gap.critical_gap is None else gap.critical_gap,
        minimum_detectable_difference=nothing
        if gap.minimum_detectable_difference is None
        else gap.minimum_detectable_difference,
        convolution_gap=nothing if gap.convolution_gap is None else gap.convolution_gap,
        prediction_gap=nothing if gap.prediction_gap is None else gap.prediction_gap,
        sd=nothing if gap.sd is None else gap.sd,
        a_priori_sd=not_applicable("there is more than one pass") if gap.a_priori_sd is None else gap.a_priori_sd,
        method=gap.method,
        scope=str(gap.scope),
        seed=gap.seed,
        sentence=sentence(gap),
    )


def sentence(gap: Gap) -> str:
    """Return the gap in the words of the run page."""
    left = f" {gap.left_out} cases without a verdict in every pass are left out." if gap.left_out else ""
    if gap.status is Status.NOT_ESTIMABLE or gap.critical_gap is None:
        return _why_not(gap) + left
    if gap.critical_gap > gap.n:
        return (
            f"No difference between two passes can be told from noise here: it would take {gap.critical_gap} cases, and there "
            f"{'is' if gap.n == 1 else 'are'} {gap.n} (estimated from {gap.passes} passes)." + left
        )
    least, most = min(gap.pass_totals), max(gap.pass_totals)
    indicative = (
        f"Indicative, from too few passes ({RECOMMENDED} are recommended): b" if gap.status is Status.INDICATIVE else "B"
    )
    text = (
        f"{indicative}etween two single passes of identical code a difference of {gap.critical_gap} or more cases has "
        f"probability at most {100 * gap.alpha:g} % (estimated from {gap.passes} passes of {gap.n} cases that scored "
        f"{least} to {most}; run-to-run SD {gap.sd:.1f} cases). Smaller differences are not reported. A true difference of "
        f"{gap.minimum_detectable_difference} cases would be found four times in five."
    )
    remarks = [remark for remark in gap.reason.split("; ") if remark and not remark.startswith("only ")]
    return text + "".join(f" {remark[0].upper()}{remark[1:]}." for remark in remarks) + left


def _why_not(gap: Gap) -> str:
    if gap.n and gap.passes < 2:  # noqa: PLR2004  (nothing to compare)
        return (
            f"Too few passes: a single pass has no noise floor. Run at least two, better {RECOMMENDED}, of the same code. "
            f"Whatever the tasks are like, the difference of two passes has an SD of at most {gap.a_priori_sd:.1f} cases."
        )
    if gap.reason.startswith("no run-to-run variation"):
        return (
            f"The resolvable gap is not estimable from {gap.passes} passes without variation: a case that never flipped may "
            f"still flip with a chance of up to {100 * (1 - 0.05 ** (1 / gap.passes)):.0f} %."
        )
    return f"The resolvable gap is not estimable: {gap.reason}."
