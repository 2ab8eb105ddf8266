"""/profile: the rolling summary of the person over sessions, and rolling it back."""

from researchassist.errors import CommandRefused
from researchassist.memory.records import ProfileVersion

from .definition import Action, Command, CommandContext, CommandResult, Entry
from .entries import counted, moment


def run(context: CommandContext, argument: str) -> CommandResult:
    """The profile with its earlier versions; "undo" rolls back to the one before."""
    if argument.strip().casefold() == "undo":
        return _undone(context)
    if argument.strip():
        raise CommandRefused("Type /profile to see it, or /profile undo to roll it back.")
    versions, most = context.assistant.memory.profile_versions(), context.assistant.options.profile_words
    if not versions:
        return CommandResult(
            "There is no profile yet. It is written after a session has ended, by the language model."
        )
    text = (
        f"What earlier sessions told of you: {versions[-1].words} of {most} words. It stands at the top of "
        "every request and is rewritten after each session."
    )
    older = tuple(_entry(one) for one in reversed(versions[:-1]))
    return CommandResult(text, cards=(profile_card(versions[-1]),), rows=older)


def profile_card(version: ProfileVersion) -> Entry:
    """The profile as it is now, with the button that rolls it back."""
    return Entry(
        title="Profile",
        number=str(version.number),
        facts=_facts(version),
        text=version.text or "(empty)",
        actions=(Action("Roll back", "/profile undo"),),
    )


def _undone(context: CommandContext) -> CommandResult:
    before = context.assistant.memory.undo_profile()
    if before is None:
        return CommandResult("Rolled back: there is no profile now. The next session starts a new one.")
    return CommandResult("Rolled back to the version before.", cards=(profile_card(before),))


def _entry(version: ProfileVersion) -> Entry:
    return Entry(
        title="Earlier version", number=str(version.number), facts=_facts(version), text=version.text
    )


def _facts(version: ProfileVersion) -> tuple[str, ...]:
    sessions = ", ".join(map(str, version.sessions))
    return moment(version.timestamp), counted(version.words, "word"), f"after session {sessions}"


COMMAND = Command("profile", "what earlier sessions told of you", run, "[undo]", "Reading the profile…")
