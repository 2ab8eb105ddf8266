"""The Django app that owns every table."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from . import word_index


class MemoryConfig(AppConfig):
    """Tables, migrations and stores."""

    name = "researchassist.memory"
    label = "memory"

    def ready(self) -> None:
        """Puts the word indexes right after every migration."""
        post_migrate.connect(word_index.put_right, sender=self)
