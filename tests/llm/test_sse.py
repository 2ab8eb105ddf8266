import pytest
from hypothesis import given
from hypothesis import strategies as st

from researchassist.llm.sse import payloads


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_any_way(end: bytes):
    assert list(payloads([b"data: one" + end + end + b"data: two" + end + end])) == ["one", "two"]


def test_comments_and_other_fields_are_skipped():
    assert list(payloads([b": ping\n\nevent: x\nid: 1\ndata: one\n\nretry: 5\n\n"])) == ["one"]


def test_several_data_lines_are_one_event():
    assert list(payloads([b"data: one\ndata:two\n\n"])) == ["one\ntwo"]


def test_the_last_event_may_lack_its_blank_line():
    assert list(payloads([b"data: one"])) == ["one"]
    assert list(payloads([b"data: one\n"])) == ["one"]


@given(st.integers(1, 9), st.sampled_from(["\n", "\r\n", "\r"]))
def test_it_does_not_matter_how_the_bytes_are_cut(size: int, end: str):
    data = f"data:日本 👩‍👩‍👧{end}{end}: x{end}{end}data: [DONE]{end}{end}".encode()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(payloads(pieces)) == ["日本 👩‍👩‍👧", "[DONE]"]


def test_bytes_that_are_no_text_are_no_error():
    assert list(payloads([b"data: \xff\n\n"])) == ["\ufffd"]
