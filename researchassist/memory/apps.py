"""The Django app that owns every table."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Tables, migrations and stores."""

    name = "researchassist.memory"
    label = "memory"
