"""Step 7: files, their manifest, and the rule that they appear whole, audited, or not at all."""

from shoal.write.manifest import manifest
from shoal.write.publish import publish
from shoal.write.table_formats import check_writable, write_table

__all__ = ["check_writable", "manifest", "publish", "write_table"]
