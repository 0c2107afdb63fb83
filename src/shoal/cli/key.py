"""`shoal key`: a pair of keys, to sign releases with and to make pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.console import print_table, reporting


def key(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File for the private key, such as steward.pem.")
    ],
) -> None:
    """Create a private key, for signing manifests or for pseudonyms, and its public key.

    The private one is for you alone: whoever has it can sign in your name, and find out whose a pseudonym is.
    It has no password, so keep the file safe. Use one for each project. No file is ever replaced.
    """
    with reporting():
        from shoal.audit.signature import make_keys

        private, public = make_keys(file)
    print_table(
        [
            ("Private key", str(private), "keep it to yourself: shoal anonymize --sign, --key"),
            ("Public key", str(public), "give it to others: shoal audit --public-key"),
        ]
    )
