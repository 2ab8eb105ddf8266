"""PROFILE: the rolling summary of the person, by version."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet

from researchassist.errors import MemoryRefused
from researchassist.memory import clock
from researchassist.memory.models import Profile
from researchassist.memory.records import ProfileVersion
from researchassist.memory.text import count_words, storable

from . import sessions


def versions(user: str) -> list[ProfileVersion]:
    """The versions that are kept and were not rolled back, oldest first; the last is the profile."""
    return [_record(row) for row in _standing(user)]


def write(
    user: str, text: str, *, folded: Sequence[int], before: ProfileVersion | None, keep: int
) -> ProfileVersion | None:
    """Keeps a new version made from `before` and marks the sessions `folded` into it, in one step.

    The latest `keep` versions stay. None, and nothing written, where the profile is another one than
    `before` meanwhile.
    """
    with transaction.atomic():
        newest = _standing(user).last()
        if (newest.number if newest else None) != (before.number if before else None):
            return None
        last = Profile.objects.filter(user=user).order_by("number").last()
        row = Profile.objects.create(
            user=user,
            number=last.number + 1 if last else 1,
            text=storable(text),
            words=count_words(text),
            sessions=list(folded),
            timestamp=clock.now(),
        )
        sessions.fold(folded, row.words)
        kept = _standing(user).order_by("-number").values_list("pk", flat=True)[:keep]
        Profile.objects.filter(user=user).exclude(pk__in=list(kept)).delete()
    return _record(row)


def undo(user: str) -> ProfileVersion | None:
    """Rolls back to the version before, which is given; None where there is none before.

    Raises MemoryRefused where there is no profile.
    """
    with transaction.atomic():
        rows = list(_standing(user))
        if not rows:
            raise MemoryRefused("There is no profile to roll back.")
        Profile.objects.filter(pk=rows[-1].pk).update(undone_at=clock.now())
    return _record(rows[-2]) if len(rows) > 1 else None


def _standing(user: str) -> QuerySet[Profile]:
    return Profile.objects.filter(user=user, undone_at=None).order_by("number")


def _record(row: Profile) -> ProfileVersion:
    return ProfileVersion(
        number=row.number,
        text=row.text,
        words=row.words,
        sessions=tuple(row.sessions),
        timestamp=row.timestamp,
    )
