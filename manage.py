#!/usr/bin/env python
"""Runs the project's commands: `python manage.py help` lists them."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Runs a command; a wrong option or folder is one sentence and exit code 2."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "researchassist.settings")
    try:
        settings.INSTALLED_APPS  # noqa: B018  (reads the settings, which may refuse)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"ResearchAssist cannot start. {error}\n")
        sys.exit(2)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
