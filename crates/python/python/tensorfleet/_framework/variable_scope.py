"""Variable scopes (being written)."""
from types import SimpleNamespace
__all__: list[str] = []
def get_variable_scope():
    return SimpleNamespace(use_resource=None)
