"""Names become classes in one place."""

import pytest

from shoal import registry
from shoal.describe.hierarchies.prefix import Prefix
from shoal.errors import InputError


def test_names_are_those_of_the_entry_points():
    assert {"file", "intervals", "prefix", "suppress"} <= set(registry.names("hierarchies"))
    assert "k-anonymity" in registry.names("models")
    assert "loss" in registry.names("measures")


def test_a_name_resolves_to_its_class():
    assert registry.resolve("hierarchies", "prefix") is Prefix


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(InputError) as caught:
        registry.resolve("models", "k-anonimity")
    message = str(caught.value)
    assert "Unknown privacy model 'k-anonimity'." in message
    assert "Did you mean 'k-anonymity'?" in message


def test_without_a_near_name_nothing_is_suggested():
    with pytest.raises(InputError) as caught:
        registry.resolve("hierarchies", "zzzz")
    assert str(caught.value).endswith(f"{registry.names('hierarchies')[-1]}.")
