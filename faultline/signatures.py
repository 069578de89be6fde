"""Signatures of records by SSH keys: makes and checks them with ``ssh-keygen -Y``, and starts no other program.

The namespace keeps a signature made for one purpose from being shown for another (PROTOCOL.sshsig of OpenSSH).
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from faultline.errors import BadInputError, MissingInputError, UnfitHostError
from faultline.kinds import SignatureState, safe_text
from faultline.records import SignatureCheck

__all__ = ["NAMESPACE", "check_signature", "sign"]

NAMESPACE = "faultline"
_SECONDS = 30
_SIGNER = re.compile(r" key (SHA256:[A-Za-z0-9+/]+)\s*$")


def sign(message: bytes, key: Path) -> str:
    """Return the armored signature of a message by an SSH key; a key with a passphrase is asked for on the terminal.

    ``key`` is a private key, or a public one whose private half an SSH agent holds. Raises :class:`MissingInputError`,
    :class:`BadInputError` when the key cannot sign, and :class:`UnfitHostError` without ssh-keygen.
    """
    if not key.is_file():
        raise MissingInputError(str(key), "there is no such key", next_step="name an SSH key with --key")
    program = _program()
    if program is None:
        raise UnfitHostError(
            "ssh-keygen", "it is not installed", next_step="install OpenSSH's client (openssh-client on Debian)"
        )
    done = subprocess.run(
        [program, "-Y", "sign", "-n", NAMESPACE, "-f", str(key)],
        input=message,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        told = safe_text(done.stderr.decode("utf-8", "replace").strip(), 200)
        raise BadInputError(str(key), "this key cannot sign", expected="an SSH key", found=told)
    return done.stdout.decode("ascii")


def check_signature(message: bytes, signature: str | None, *, identity: str, allowed: Path) -> SignatureCheck:
    """Say whether a message is signed by a key that is listed for an identity.

    ``allowed`` is a file of allowed signers as in ssh-keygen(1); where it does not exist, no key is listed for anybody.
    ``signature`` is ``None`` where there is none. Somebody whose key is listed must sign, so that taking a signature that
    does not fit away does not help.
    """
    if not allowed.is_file():
        return SignatureCheck(state=SignatureState.UNSIGNED if signature is None else SignatureState.UNKNOWN_KEY)
    program = _program()
    if program is None:
        return SignatureCheck(state=SignatureState.UNCHECKED)
    name = " ".join(identity.replace(",", " ").split())
    listed = _run([program, "-Y", "match-principals", "-I", name, "-f", str(allowed)], b"").returncode == 0
    if signature is None:
        return SignatureCheck(state=SignatureState.MISSING if listed else SignatureState.UNSIGNED)
    if not listed:
        return SignatureCheck(state=SignatureState.UNKNOWN_KEY)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "signature")
        file.write_text(signature, encoding="utf-8", errors="replace")
        done = _run(
            [program, "-Y", "verify", "-f", str(allowed), "-I", name, "-n", NAMESPACE, "-s", str(file)],
            message,
        )
    told = _SIGNER.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode != 0 or told is None:
        return SignatureCheck(state=SignatureState.BAD)
    return SignatureCheck(state=SignatureState.SIGNED, key=told.group(1))


def _program() -> str | None:
    return shutil.which("ssh-keygen")


def _run(command: list[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    # The language of messages is fixed, since one of them is read; no agent and no configuration takes part in checking.
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
    return subprocess.run(command, input=given, capture_output=True, check=False, timeout=_SECONDS, env=environment)
