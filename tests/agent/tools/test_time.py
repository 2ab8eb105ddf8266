from datetime import UTC, datetime

import pytest
import time_machine
from django.test import override_settings

from researchassist.agent.tools.time import get_current_time
from researchassist.errors import ToolError


@override_settings(TIME_ZONE="Pacific/Auckland")
def test_it_tells_date_time_and_zone():
    with time_machine.travel(datetime(2026, 3, 1, 12, tzinfo=UTC), tick=False):
        assert get_current_time() == "Monday 2026-03-02 01:00:00 Pacific/Auckland (UTC+1300)"
        assert get_current_time("Europe/Oslo") == "Sunday 2026-03-01 13:00:00 Europe/Oslo (UTC+0100)"


@pytest.mark.parametrize("zone", ["Mars/Base", "../etc/passwd", "/etc/passwd", "\x00", "Europe", "a" * 5000])
def test_a_zone_that_is_none_is_told(zone: str):
    with pytest.raises(ToolError, match="There is no time zone"):
        get_current_time(zone)
