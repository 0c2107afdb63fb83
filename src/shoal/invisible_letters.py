"""Characters that are drawn as nothing, although Unicode calls some of them letters or marks."""

from __future__ import annotations

import re

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Those that Unicode calls Default_Ignorable_Code_Point, the empty Braille cell, and the empty note head."""
