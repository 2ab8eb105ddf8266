"""What a person types or a model asks for, told from what is no id (B09). No request is made here."""

import pytest

from researchassist.papers.identify import Reference, arxiv_id, find_doi, is_ambiguous, reference


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2401.00001", "2401.00001"), ("2401.00001v2", "2401.00001v2"), ("arXiv:2401.00001", "2401.00001"),
        ("ARXIV:2401.00001v2", "2401.00001v2"), ("https://arxiv.org/abs/2401.00001", "2401.00001"),
        ("http://www.arxiv.org/pdf/2401.00001v2.pdf", "2401.00001v2"),
        ("https://arxiv.org/pdf/2401.00001", "2401.00001"),
        ("https://arxiv.org/html/2401.00001v1", "2401.00001v1"),
        ("https://arxiv.org/abs/2401.00001?context=hep-th#sec1", "2401.00001"),
        ("https://export.arxiv.org/abs/hep-th/9901001", "hep-th/9901001"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("hep-th/9901001v3", "hep-th/9901001v3"), ("math.GT/0309136", "math/0309136"),
        ("https://doi.org/10.48550/arXiv.2401.00001", "2401.00001"),
        ("10.48550/arxiv.2401.00001v3", "2401.00001v3"),
        ("  2401.00001 ", "2401.00001"), ("\u200b2401.00001", "2401.00001"), ("0704.0001", "0704.0001"),
    ],
)  # fmt: skip
def test_every_form_of_an_arxiv_id_is_read(text: str, wanted: str):
    assert str(arxiv_id(text)) == wanted
    assert reference(text) == Reference("arxiv", wanted)


@pytest.mark.parametrize(
    "text",
    [
        "9901001", "2401.1", "2413.00001", "2400.00001", "2401.0001", "0703.0001", "1412.00001",
        "not-a-paper",
        "../../etc/passwd", "2401.00001,2401.00002", "2401.00001 2401.00002", "2401.00001v0", "owls/9901001",
        "hep-th/9913001", "https://evil.invalid/abs/2401.00001",
        "https://arxiv.org.evil.invalid/abs/2401.00001",
        "https://evil.example.com/abs/2401.00001", "https://user@arxiv.org/abs/2401.00001",
        "https://arxiv.org/list/cs.AI/recent", "ftp://arxiv.org/abs/2401.00001", "file:///etc/passwd", "",
        "https://doi.org/", "10.1/x", "http://", "http://[::1", "javascript:alert(1)",
    ],
)  # fmt: skip
def test_what_is_no_reference_is_none(text: str):
    assert arxiv_id(text) is None
    assert reference(text) is None


def test_an_old_number_without_its_archive_is_told_from_nonsense():
    assert is_ambiguous(" 9901001v2 ")
    assert not is_ambiguous("2401.00001")


@pytest.mark.parametrize(
    "text",
    ["10.1145/3292500.3330701", "doi:10.1145/3292500.3330701", "https://doi.org/10.1145/3292500.3330701"],
)
def test_every_form_of_a_doi_is_read(text: str):
    assert find_doi(text) == "10.1145/3292500.3330701"
    assert reference(text) == Reference("doi", "10.1145/3292500.3330701")


def test_any_other_address_is_a_link():
    assert reference("https://example.com/owls?x=1") == Reference("link", "https://example.com/owls?x=1")
