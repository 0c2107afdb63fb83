"""The report on a release: one page that a data-protection officer can read, print and keep."""

from shoal.report.internal import internal_html, write_internal_report
from shoal.report.public import public_html

__all__ = ["internal_html", "public_html", "write_internal_report"]
