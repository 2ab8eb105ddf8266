"""What the page's forms carry, read without altering what the person wrote."""

import uuid
from typing import Any

from django import forms


def new_key() -> str:
    """An idempotency key for one rendered form."""
    return uuid.uuid4().hex


class WrittenText(forms.Field):
    """Text as it was written: browsers send line ends as CRLF, all else stays.

    Unlike CharField it strips nothing and takes NUL; memory says what it keeps of that.
    """

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        """The text with LF as its line end."""
        return str(value or "").replace("\r\n", "\n")


class KeyedForm(forms.Form):
    """A form that may be sent once only: a key sent twice is one sending.

    `begun`: the page it is on shows a conversation that was there.
    """

    key = forms.RegexField(r"^[0-9a-f]{32}$", required=False)
    begun = forms.BooleanField(required=False)

    def clean_key(self) -> str:
        """The form's key, or a new one where it came without."""
        return str(self.cleaned_data["key"] or new_key())


class TurnForm(KeyedForm):
    """One message. `plain`: it is one even where it looks like a command. `branch` is the one that the
    page shows it was sent from."""

    branch = forms.IntegerField(required=False, min_value=0)
    query = WrittenText(required=False)
    plain = forms.BooleanField(required=False)


class Files(forms.FileField):
    """Any number of files, at least one."""

    widget = type("FilesInput", (forms.ClearableFileInput,), {"allow_multiple_selected": True})

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The files; those without bytes are told of when they are read."""
        return [super(Files, self).clean(one, initial) for one in data or [None]]


class FilesForm(KeyedForm):
    """Files the person adds."""

    file = Files(allow_empty_file=True)


class RenameForm(forms.Form):
    """A new title for a thread."""

    title = forms.CharField(max_length=500, error_messages={"required": "Write a title first."})
