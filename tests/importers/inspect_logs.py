"""Small logs of Inspect AI, made field by field: ``.json`` documents, and ``.eval`` archives with any method and any fault.

The archive is written byte by byte, since the standard library writes no Zstandard before Python 3.14 and no hostile archives at all.
"""

import json
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from faultline.archive import read_run
from faultline.clock import frozen_clock
from faultline.importers import ImportedRun, Reading, SourceTree, import_runs
from faultline.importers.inspect_ai import Inspect
from faultline.records import Trial

STORED, DEFLATE, ZSTANDARD = 0, 8, 93
SCORED = {"value": "C", "answer": "4"}


def sample(key: int | str = "a", epoch: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a whole sample as the log holds it; it passed unless told otherwise."""
    name = fields.pop("uuid", f"uuid-{key}-{epoch}")
    plain = {
        "id": key,
        "epoch": epoch,
        "input": "Say 4",
        "target": "4",
        "messages": [
            {"id": "m1", "role": "user", "content": "Say 4"},
            {"id": "m2", "role": "assistant", "content": "four", "model": "mock/model"},
        ],
        "scores": {"includes": dict(SCORED)},
        "metadata": {},
        "model_usage": {"mock/model": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}},
        "role_usage": {},
        "started_at": f"2026-11-01T10:0{epoch}:00+00:00",
        "completed_at": f"2026-11-01T10:0{epoch}:30+00:00",
        "total_time": 30.0,
        "working_time": 20.0,
        "uuid": name,
        "error_retries": [],
    }
    return plain | fields


def summary(whole: dict[str, Any]) -> dict[str, Any]:
    """Return what a log's list of summaries says of a sample."""
    error, limit = whole.get("error"), whole.get("limit")
    left_out = ("messages", "events", "error_retries", "invalidation", "attachments", "store", "error", "limit")
    plain = {key: value for key, value in whole.items() if key not in left_out}
    plain |= {
        "completed": True,
        "retries": len(whole.get("error_retries") or []),
        "message_count": len(whole.get("messages") or []),
    }
    if error is not None:
        plain["error"] = error["message"]
    if limit is not None:
        plain |= {"limit": limit["type"], "limit_reason": limit.get("reason")}
    return plain


def header(
    *samples: dict[str, Any], config: dict[str, Any] | None = None, results: Any = None, status: str = "success", **eval_: Any
) -> dict[str, Any]:
    """Return a log's header, which plans exactly the samples unless told otherwise."""
    ids = list(dict.fromkeys(item["id"] for item in samples))
    spec = {
        "eval_id": "eval-1",
        "run_id": "run-1",
        "task_id": "task-1",
        "created": "2026-11-01T10:00:00+00:00",
        "task": "repair_demo",
        "task_version": "1.2.0",
        "dataset": {"name": "repairs", "samples": len(ids), "sample_ids": ids},
        "model": "mock/model",
        "model_args": {},
        "config": {"epochs": max((item["epoch"] for item in samples), default=1)} | (config or {}),
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "includes"}],
    }
    plain = {
        "version": 2,
        "status": status,
        "eval": spec | eval_,
        "plan": {"name": "plan", "steps": [{"solver": "inspect_ai/generate"}]},
    }
    return plain if results is None else plain | {"results": results}


def accuracy(value: float, **fields: Any) -> dict[str, Any]:
    """Return results with one accuracy."""
    return {
        "scores": [
            {"name": "includes", "scorer": "includes", "metrics": {"accuracy": {"name": "accuracy", "value": value}}} | fields
        ]
    }


def json_log(path: Path, *samples: dict[str, Any], **fields: Any) -> Path:
    """Write a ``.json`` log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(header(*samples, **fields) | {"samples": list(samples)}), encoding="utf-8")
    return path


def eval_log(
    path: Path,
    *samples: dict[str, Any],
    method: int = DEFLATE,
    finished: bool = True,
    older: tuple[dict[str, Any], ...] = (),
    frames: int = 1,
    **fields: Any,
) -> Path:
    """Write an ``.eval`` log; ``older`` are members whose names stand again later."""
    head = header(*samples, **fields)
    members = [(member_name(item), json.dumps(item)) for item in older]
    members += [("_journal/start.json", json.dumps({key: head[key] for key in ("version", "eval", "plan")}))]
    members += [(member_name(item), json.dumps(item)) for item in samples]
    members += [("_journal/summaries/1.json", json.dumps([summary(item) for item in samples]))]
    if finished:
        members += [("summaries.json", json.dumps([summary(item) for item in samples])), ("header.json", json.dumps(head))]
    return write_zip(path, members, method=method, frames=frames)


def member_name(item: dict[str, Any]) -> str:
    return f"samples/{item['id']}_epoch_{item['epoch']}.json"


def packed(data: bytes, method: int, frames: int = 1) -> bytes:
    """Return data as a member holds it; with Zstandard in several frames where asked."""
    if method == DEFLATE:
        stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        return stream.compress(data) + stream.flush()
    if method == ZSTANDARD:
        import zstandard

        size = -(-len(data) // frames) or 1
        return b"".join(zstandard.compress(data[at : at + size]) for at in range(0, max(len(data), 1), size))
    return data


def write_zip(
    path: Path,
    members: list[tuple[str, str]],
    *,
    method: int = DEFLATE,
    frames: int = 1,
    faults: dict[str, dict[str, int]] | None = None,
) -> Path:
    """Write a ZIP archive; ``faults`` change what the directory says of a member (flags, method, crc, size, packed, offset)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    out, directory = bytearray(), bytearray()
    for name, text in members:
        raw, data = name.encode(), text.encode()
        body = packed(data, method, frames)
        says = {
            "flags": 0 if name.isascii() else 0x800,
            "method": method,
            "crc": zlib.crc32(data),
            "packed": len(body),
            "size": len(data),
            "offset": len(out),
        } | (faults or {}).get(name, {})
        common = struct.pack(
            "<HHHHHIIIHH", 20, says["flags"], says["method"], 0, 0x21, says["crc"], says["packed"], says["size"], len(raw), 0
        )
        out += b"PK\3\4" + common + raw + body
        directory += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, says["offset"]) + raw
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    path.write_bytes(bytes(out + directory) + b"PK\5\6" + end)
    return path


def imported(source: Path, target: Path, *, partial: bool = False, **options: str) -> tuple[ImportedRun, ...]:
    """Import a file or folder."""
    reading = Reading(SourceTree(source), options, partial)
    return import_runs(Inspect(), reading, target, frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))


def only(source: Path, target: Path, **options: str) -> tuple[ImportedRun, Trial]:
    """Import a log that holds one trial."""
    (run,) = imported(source, target, **options)
    (trial,) = trials(target, run)
    return run, trial


def trials(target: Path, run: ImportedRun) -> list[Trial]:
    """Return the trials of an imported run, read back from its seal, in the order of the plan."""
    return list(read_run(target / run.run).trials)
