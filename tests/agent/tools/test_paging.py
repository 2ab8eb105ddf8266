import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from researchassist.agent.tools.paging import page_of


@given(st.text(st.sampled_from("ab 日🦉"), max_size=5000), st.integers(200, 3000))
def test_the_pages_together_are_the_text_at_any_limit(text: str, limit: int):
    whole, offset = "", 0
    for _ in range(len(text) + 1):
        page = page_of(text, offset=offset, limit=limit, call="more({})")
        assert len(page) <= limit
        body, _, rest = page.partition("\n[")
        whole += body
        found = re.search(r"more\((\d+)\)", rest)
        if not found:
            break
        assert int(found.group(1)) > offset
        offset = int(found.group(1))
    assert whole == text


def test_the_last_page_says_nothing_of_a_next():
    assert page_of("owl", offset=0, limit=3000, call="x({})") == "owl"


@pytest.mark.parametrize("length", [2840, 2841])
def test_a_page_says_how_much_is_left(length: int):
    page = page_of("x" * length, offset=0, limit=3000, call="more({})")
    assert ("[1 more characters; next page: more(2840)]" in page) == (length == 2841)
