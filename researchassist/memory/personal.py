"""The part of MemoryManager that is the person's: what is remembered of one user, exact.

Every row is keyed by user (option `user`); needs no embedding model.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from researchassist.options import Options

from .models import SemanticMemory
from .records import CoreWrite, MessageRecord, ProfileVersion, SessionRecord
from .stores import core, profile, sessions


class PersonalMemory:
    """CORE_MEMORY, read and written as one text; PROFILE, by version, and the sessions it is made from."""

    options: Options

    # CORE_MEMORY

    def read_core_memory(self) -> str:
        """The text as it is now."""
        return core.read(self.options.user)

    def core_writes(self) -> list[CoreWrite]:
        """Every write to it, oldest first, each with the text before."""
        return core.writes(self.options.user)

    def write_core_memory(
        self,
        change: Callable[[str], str],
        *,
        operation: str,
        author: str,
        count: Callable[[str], int],
        quote: str = "",
        message: MessageRecord | None = None,
    ) -> CoreWrite:
        """Makes the text what `change` makes of it; what `change` raises leaves it as it is."""
        return core.write(
            self.options.user,
            change,
            operation=operation,
            author=author,
            count=count,
            quote=quote,
            message=message,
        )

    def undo_core_memory(self, count: Callable[[str], int]) -> CoreWrite:
        """Takes the latest write back that stands; raises MemoryRefused where there is none."""
        return core.undo(self.options.user, count)

    # PROFILE and SESSION

    def profile(self) -> ProfileVersion | None:
        """The profile as it is now."""
        return next(iter(reversed(self.profile_versions())), None)

    def profile_versions(self) -> list[ProfileVersion]:
        """The versions that are kept and were not rolled back, oldest first."""
        return profile.versions(self.options.user)

    def write_profile(
        self, text: str, *, folded: Sequence[int], before: ProfileVersion | None
    ) -> ProfileVersion | None:
        """Keeps a new version, made from `before` and these sessions, which are folded with it.

        None, and nothing written, where the profile is another one than `before` meanwhile.
        """
        keep = self.options.profile_versions
        return profile.write(self.options.user, text, folded=folded, before=before, keep=keep)

    def undo_profile(self) -> ProfileVersion | None:
        """Rolls back to the version before; raises MemoryRefused where there is no profile."""
        return profile.undo(self.options.user)

    def sessions(self) -> list[SessionRecord]:
        """All sessions, oldest first."""
        return sessions.every(self.options.user)

    def session_messages(self, session_id: int) -> list[MessageRecord]:
        """What was said in a session, in order, over all conversations."""
        return sessions.messages(session_id)

    def end_idle_sessions(self) -> None:
        """Ends the sessions that have been idle for longer than the option allows."""
        sessions.end_idle(self.options.user, timedelta(minutes=self.options.session_idle_minutes))

    def has_ended_sessions(self) -> bool:
        """Whether a session ended that nobody tried to fold into the profile yet."""
        return sessions.has_news(self.options.user)

    def claim_sessions(self, owner: str, is_alive: Callable[[str], bool]) -> list[SessionRecord]:
        """Takes the sessions that wait, for `owner` to fold in; none where there is nothing to do."""
        return sessions.claim(self.options.user, owner, is_alive)

    def fold_sessions(self, ids: Sequence[int], words: int) -> None:
        """Marks claimed sessions as done where they add nothing to a profile of so many words."""
        sessions.fold(ids, words)

    def release_sessions(self, ids: Sequence[int], error: str) -> None:
        """Gives claimed sessions back; they are tried again when the next one has ended."""
        sessions.release(ids, error)

    def is_archived(self, text: str, kind: str) -> bool:
        """Whether a document of this kind holds `text`, word for word."""
        rows = SemanticMemory.objects.filter(document__kind=kind, text__contains=text)
        return rows.exists()
