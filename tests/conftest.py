"""Settings for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Machines that run the tests are slow now and then; that is no failure.
settings.register_profile("shoal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shoal")
