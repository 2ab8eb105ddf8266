import pytest

from researchassist.memory.secret_text import holds_a_secret


@pytest.mark.parametrize(
    "text",
    [
        "My password is hunter2",
        "the wifi password: correct horse",
        "my PIN is 4411, do not forget",
        "I changed my pin to 9921",
        "Mein Passwort ist geheim123",
        "api_key = 12ab34cd",
        "use sk-proj-abcdEFGH1234567890abcd",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "key AKIAIOSFODNN7EXAMPLE",
        "card 4111 1111 1111 1111 expires soon",
        "IBAN DE89 3704 0044 0532 0130 00",
        "-----BEGIN RSA PRIVATE KEY-----",
        "postgres://me:s3cr3t@localhost/db",
        "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
        "f3Ab9Zq1Lm7Xk2Pw8Rt5Yc4Vn6Hd0Gs3Je",
    ],
)
def test_secrets_are_told(text: str):
    assert holds_a_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "My door code is 7719",
        "I am vegetarian",
        "The paper is arXiv 2310.08560 and its DOI 10.48550/arXiv.2310.08560",
        "I keep notes in runs/2026-01-12/experiment-with-a-very-long-name-number-12.csv",
        "My grant number is 324711",
        "We trained on 1234567890 tokens",
        "I work on tokens and keys in attention",
        "The meeting is on 12 May at 10:30",
        "a" * 60,
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "",
    ],
)
def test_what_only_has_numbers_or_long_words_is_no_secret(text: str):
    assert not holds_a_secret(text)
