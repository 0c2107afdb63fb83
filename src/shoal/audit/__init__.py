"""Step 6: check a release from its file alone, by SQL and not by the code that made it."""

from shoal.audit.audit import audit_relation, audit_release
from shoal.audit.finding import Audit, Finding
from shoal.audit.reference import References

__all__ = ["Audit", "Finding", "References", "audit_relation", "audit_release"]
