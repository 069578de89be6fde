"""A small rule-based repairer: it looks for two shapes of code that often go wrong in experiments, and rewrites them.

It uses no model, knows nothing of Faultline's tasks, and will not repair most of them. It exists to show how a `command`
agent is plugged in: the workspace is the current folder, the issue comes on standard input, and what is printed becomes
the trace.
"""

import pathlib
import re
import sys

GLOBAL_SEEDING = re.compile(r"^(?P<indent>[ ]+)(?:random\.seed|set_seeds?|seed_everything|seed_all)\((?P<seed>\w+)\)$", re.MULTILINE)
FUNCTION = re.compile(r"^(?P<indent>[ ]*)def ", re.MULTILINE)
ENTITY_ORDER = re.compile(r"key=lambda (?P<item>\w+): (?P<rows>\w+)\[(?P=item)\]\[\"(?P<column>\w+)\"\]")


def use_own_generator(source):
    """Inside a function that seeds the global generator, draw from a generator of its own instead."""
    starts = [match.start() for match in FUNCTION.finditer(source)] + [len(source)]
    parts = [source[: starts[0]]] if starts else [source]
    changed = 0
    for begin, end in zip(starts, starts[1:]):
        body = source[begin:end]
        if GLOBAL_SEEDING.search(body) and re.search(r"\brandom\.(shuffle|sample|choice|random|randrange)\(", body):
            body = GLOBAL_SEEDING.sub(r"\g<indent>rng = random.Random(\g<seed>)", body)
            body = re.sub(r"(?<![\w.])random\.(shuffle|sample|choice|random|randrange)\(", r"rng.\1(", body)
            changed += 1
        parts.append(body)
    return "".join(parts), changed


def order_by_time_too(source):
    """Where rows are put in the order of an entity and the module speaks of time, put them in the order of time as well."""
    if '"time"' not in source:
        return source, 0
    return ENTITY_ORDER.subn(r'key=lambda \g<item>: (\g<rows>[\g<item>]["\g<column>"], \g<rows>[\g<item>]["time"])', source)


RULES = {"use a generator of its own": use_own_generator, "order by time too": order_by_time_too}


def main():
    issue = sys.stdin.read()
    print("Issue:", issue.strip().splitlines()[0] if issue.strip() else "(empty)")
    total = 0
    for path in sorted(pathlib.Path(".").glob("*/*.py")):
        if path.parts[0] == "tests":
            continue
        source = path.read_text(encoding="utf-8")
        for name, rule in RULES.items():
            source, count = rule(source)
            if count:
                print(f"{path}: {name} ({count} places)")
                total += count
        path.write_text(source, encoding="utf-8")
    print(f"{total} places rewritten" if total else "No rule applies; nothing was changed.")


if __name__ == "__main__":
    main()
