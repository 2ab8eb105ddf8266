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


class TurnForm(forms.Form):
    """One message. A key sent twice is one message."""

    query = WrittenText(required=False)
    key = forms.RegexField(r"^[0-9a-f]{32}$", required=False)

    def clean_key(self) -> str:
        """The form's key, or a new one where it came without."""
        return str(self.cleaned_data["key"] or new_key())


class RenameForm(forms.Form):
    """A new title for a thread."""

    title = forms.CharField(max_length=500, error_messages={"required": "Write a title first."})
