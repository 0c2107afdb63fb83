"""Files, their manifest, and the rule that they appear whole, audited, or not at all."""

from shoal.write.files import check_writable, write_table
from shoal.write.manifest import manifest
from shoal.write.publish import publish

__all__ = ["check_writable", "manifest", "publish", "write_table"]
