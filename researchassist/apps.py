"""The Django app that carries templates, static files and commands."""

from django.apps import AppConfig


class ResearchAssistConfig(AppConfig):
    """The project package as an app; its tables live in `researchassist.memory`."""

    name = "researchassist"
