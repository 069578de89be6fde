"""Secrets and personal details are found by their form; what only looks long is left alone."""

from re import _parser

import pytest

from faultline.redact import SHORT_SIGNS, SHORTEST, Redactor, _patterns

HOME = "/home"
"""Joined to account names here, so that no scanner takes this file for a leak."""
ROOT = "/root"

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "aws access key": "AKIA" + "ABCDEFGH" * 2,
    "github token": "ghp_" + "a1B2" * 9,
    "model provider key": "sk-ant-" + "api03-" + "x9" * 20,
    "slack token": "xoxb-" + "1234567890-" + "abcdefABCDEF".lower(),
    "stripe access key": "sk_live_" + "a1" * 12,
    "json web token": "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".abc",
    "basic auth credentials": "https://admin:" + "hunter2hunter2hunter2" + "@db.internal/x",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "bearer token": "Authorization: Bearer " + "abcdefghijklmnopqrstuvwxyz012345",
}
PERSONAL = {
    "e-mail address": "ask jane.doe+x@mail.corp.io now",
    "home folder": f"open {HOME}/jdoe/project/x.py",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_each_kind_is_taken_out(kind):
    """
    The text around it stays, the secret goes, and the kind is counted.
    """
    redactor = Redactor()

    cleaned = redactor.text(f"before {SECRETS[kind]} after")

    assert f"[redacted: {kind}]" in cleaned
    assert cleaned.startswith("before")
    assert cleaned.endswith("after")
    assert 1 == sum(redactor.counts.values())


@pytest.mark.parametrize("kind", PERSONAL)
def test_a_personal_detail_of_each_kind_is_taken_out(kind):
    """
    Addresses, and the account in the path of a home folder.
    """
    assert f"[redacted: {kind}]" in Redactor().text(PERSONAL[kind])


@pytest.mark.parametrize("path", ["/Users/jdoe/x", r"C:\Users\jdoe\x", r"C:\\Users\\jdoe\\x", f"file://{HOME}/jdoe/x"])
def test_home_folders_of_every_system_are_known(path):
    """
    Also where JSON doubled the backslashes.
    """
    assert "jdoe" not in Redactor().text(path)


@pytest.mark.parametrize(
    "text",
    [
        "sha256:" + "0a" * 32,
        "4f" * 20,
        f"{HOME}/user/x and {ROOT}/y and /usr{HOME}/x",
        "someone@example.com",
        "a@b",
        "user@host",
        "import pytest@3",
        "version 1.2.3.4",
        "task-keyword-secretary",
        "20638941-e271-4d11-8ea4-dc55781aea19",
        "the password field is empty",
        "",
    ],
)
def test_what_is_no_secret_is_left_alone(text):
    """
    Digests, ids, versions, machine accounts and reserved addresses stay readable.
    """
    assert text == Redactor().text(text)


def test_names_that_a_format_gives_are_taken_out_of_all_texts():
    """
    A user name that stands in a field of its own is a personal detail wherever else it stands, as a whole word.
    """
    redactor = Redactor()
    redactor.learn("user name", ["jdoe", "root", "", None, "ab"])

    assert "by [redacted: user name] and jdoes, root" == redactor.text("by jdoe and jdoes, root")


def test_plain_data_is_cleaned_in_keys_and_values():
    """
    A secret may be a key of a mapping.
    """
    secret = SECRETS["github token"]

    assert secret not in repr(Redactor().plain({secret: [secret, {"a": (secret, 1, None)}]}))


def test_the_same_text_cleaned_twice_is_the_same():
    """
    What replaces a secret is none.
    """
    redactor = Redactor()
    once = redactor.text(" ".join([*SECRETS.values(), *PERSONAL.values()]))

    assert once == redactor.text(once)


@pytest.mark.parametrize(
    "piece",
    [
        *("a@", "/home/x.", "eyJ", "sk-", "sk-ant-", "//x", "//", "xoxb-1-", "glagent-", "token=", "key=" + "a" * 24, "AKC"),
        *("://a:b", "aws key ", "a.", "ghp_", "SG.", "https://hooks.slack.com/services/T", "12345678:", "BEGIN "),
    ],
)
def test_a_text_made_to_be_slow_comes_to_an_end(piece):
    """
    No pattern takes quadratic time: with one that does, a text of this size would take hours.
    """
    text = piece * (400_000 // len(piece))

    assert Redactor().text(text)


def test_a_value_assigned_to_a_word_like_key_is_found_anywhere_in_a_text():
    """
    The slow patterns are tried around assignments only, and find what they would find in the whole text.
    """
    value = "a1b2" * 11
    text = "x " * 5_000 + f'ibm_cloud_iam_api_key = "{value}"' + " y" * 5_000

    assert value not in Redactor().text(text)


def test_nothing_that_is_passed_over_could_be_a_secret():
    """
    Short words without a sign of their own are not looked at: no pattern matches so little.
    """
    least = {pattern.pattern: _parser.parse(pattern.pattern, pattern.flags).getwidth()[0] for _, pattern, _ in _patterns()}

    assert [] == [text for text, width in least.items() if width < SHORTEST and not any(sign in text for sign in SHORT_SIGNS)]


def test_a_short_secret_with_a_sign_is_found():
    """
    A password in an address is short, and known by its sign.
    """
    assert "[redacted: basic auth credentials]h" == Redactor().text("://me:" + "p" * 2 + "@h")
