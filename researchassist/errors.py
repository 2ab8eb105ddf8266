"""Every exception the product raises itself: one root, and only children that are raised.

The message of each is a sentence for the person at the page or the terminal.
"""


class ResearchAssistError(Exception):
    """Root of all errors whose text may be shown to the person as it stands."""


class ConfigurationError(ResearchAssistError):
    """An option or variable is unknown or has a value that cannot be used."""


class EmbeddingError(ResearchAssistError):
    """A text cannot be embedded, or a vector is zero, not finite or of another length."""


class EmbeddingModelMismatch(EmbeddingError):
    """The configured embedding model is not the one this database is bound to."""


class UnknownThread(ResearchAssistError):
    """No thread has this id."""


class ThreadDeleted(UnknownThread):
    """The thread of this id was deleted; `can_come_back` says whether that can be undone."""

    def __init__(self, message: str, *, thread_id: str, can_come_back: bool) -> None:
        super().__init__(message)
        self.thread_id = thread_id
        self.can_come_back = can_come_back


class UnknownMessage(ResearchAssistError):
    """No message has this id, or it is not one that was meant."""


class UnknownTurn(ResearchAssistError):
    """No turn has this id."""


class UnknownCommandRun(ResearchAssistError):
    """No run of a command has this id."""


class CommandRefused(ResearchAssistError):
    """A command could not do what was asked; nothing more was done."""


class CommandStopped(ResearchAssistError):
    """The person stopped a command."""


class UnreadableDate(ResearchAssistError):
    """Words that should say when are not understood."""


class UnknownSummary(ResearchAssistError):
    """No summary has this id."""


class UnknownToolLog(ResearchAssistError):
    """No tool log has this id."""


class UnknownFact(ResearchAssistError):
    """No fact has this number."""


class UnknownLesson(ResearchAssistError):
    """No lesson has this number."""


class TurnRefused(ResearchAssistError):
    """A turn was not started; nothing was stored and the text is still the person's.

    `reason` is one of "empty", "too_long", "busy", "moved", "not_retryable".
    """

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class MemoryRefused(ResearchAssistError):
    """A write to personal memory was refused; nothing was changed."""


class UnreadableFile(ResearchAssistError):
    """A file cannot be read as text, or holds none."""


class NoText(UnreadableFile):
    """A file was read and there is no text in it."""


class UnknownDocument(ResearchAssistError):
    """No document in memory has this number."""


class NotAReference(ResearchAssistError):
    """A text is no arXiv id, DOI or link; nothing was asked of anyone."""


class WebError(ResearchAssistError):
    """An address was refused, or what it answered cannot be used.

    `status` is the HTTP status where there was one, `retry_after` the seconds it asks to wait.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class PaperNotFound(ResearchAssistError):
    """The source answered properly and has no such paper."""


class ModelError(ResearchAssistError):
    """The language model's server refused, failed, or could not be reached."""


class ContextTooLong(ModelError):
    """The model's server refused a request because it was longer than its context window."""


class ToolError(ResearchAssistError):
    """A tool could not do what was asked; the text goes back to the model."""


class PromptError(ResearchAssistError):
    """A prompt file was given a variable it does not name, or not given one it does."""
