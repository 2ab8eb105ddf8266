"""Which embedding model this database is bound to: one, from the first vector on.

Vectors of two models are never compared (promise 4), so a writer or searcher with another
model is refused here.
"""

from django.db import transaction

from researchassist.errors import EmbeddingModelMismatch

from .models import StoreState

KEY = "embedding_model"
_MOVING = "moving_to_embedding_model"


def bound_model() -> str | None:
    """The model name all vectors in this database come from; None while there are none."""
    return StoreState.objects.filter(key=KEY).values_list("value", flat=True).first()


def bind(model: str) -> None:
    """Binds the database to `model`, or raises EmbeddingModelMismatch where it has another.

    Runs inside the writing transaction, so that two first writers cannot bind it twice.
    """
    state, _ = StoreState.objects.get_or_create(key=KEY, defaults={"value": model})
    refuse_other(model, state.value)


def refuse_other(model: str | None, bound: str | None) -> None:
    """Raises EmbeddingModelMismatch where both are known and differ."""
    if model is not None and bound is not None and model != bound:
        raise EmbeddingModelMismatch(
            f"This database holds vectors of {bound}, but {model} is configured. "
            "Nothing was read or written. Set RESEARCHASSIST_EMBEDDING_MODEL back "
            "(auto keeps the database's model), move the database with manage.py reembed, "
            "or use another RESEARCHASSIST_DATA_DIR. After a move, start the server anew."
        )


def begin_move(model: str) -> None:
    """Binds the database to another model; rows by the one before are not found until they are moved."""
    with transaction.atomic():
        for key in (KEY, _MOVING):
            StoreState.objects.update_or_create(key=key, defaults={"value": model})


def end_move(model: str) -> None:
    """Every row has been moved to this model."""
    StoreState.objects.filter(key=_MOVING, value=model).delete()


def moving_to() -> str | None:
    """The model that a move which has begun and not ended goes to, whether it runs or not."""
    return StoreState.objects.filter(key=_MOVING).values_list("value", flat=True).first()
