"""The report on a release: one page that a data-protection officer can read, print and keep."""

from shoal.report.report import report_html, write_report

__all__ = ["report_html", "write_report"]
