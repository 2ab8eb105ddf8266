"""The clock."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from researchassist.errors import ToolError

from .definition import working


@working("Looking at the clock")
def get_current_time(zone: str = "") -> str:
    """Get the current date and time with its time zone.

    Use it for anything that depends on what day or time it is now.

    Args:
        zone: IANA name such as "Europe/Oslo"; empty for the person's own zone.
    """
    try:
        place = ZoneInfo(zone) if zone else timezone.get_default_timezone()
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolError(f"There is no time zone {zone!r}; use an IANA name such as Europe/Oslo.") from error
    now = timezone.now().astimezone(place)
    return f"{now:%A %Y-%m-%d %H:%M:%S} {zone or timezone.get_default_timezone_name()} (UTC{now:%z})"
