"""All addresses of the product."""

from django.urls import include, path

urlpatterns = [path("", include("researchassist.chat.urls"))]
