"""The first sentence of both reports: how many quasi-identifiers still distinguish rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from markupsafe import Markup

from shoal.report.glossary import link
from shoal.report.markup import columns
from shoal.report.number_format import count

_NAMES_SHOWN = 8


def distinguishing_words(
    quasi_identifiers: Sequence[str], distinguishing: Collection[str], *, starred: bool
) -> Markup:
    """Return how many quasi-identifiers distinguish released rows, and which do not.

    Parameters
    ----------
    starred
        Whether the release has suppressed rows.

    Examples
    --------
    >>> words = distinguishing_words(["age", "sex", "zip"], ["age", "zip"], starred=False)
    >>> words.striptags()
    '2 of 3 quasi-identifiers distinguish rows of the release; sex is the same in all of them.'
    """
    rows = "rows of the release" + (" that are not suppressed" if starred else "")
    same = [name for name in quasi_identifiers if name not in distinguishing]
    told, total = count(len(quasi_identifiers) - len(same)), count(len(quasi_identifiers))
    if len(quasi_identifiers) == 1:
        sentence = Markup("The {} distinguishes no {}.") if same else Markup("The {} distinguishes {}.")
        return sentence.format(link("quasi-identifier"), rows)
    term = link("quasi-identifier", "quasi-identifiers")
    if not same:
        return Markup("All {} {} distinguish {}.").format(total, term, rows)
    if told == "0":
        return Markup("None of the {} {} distinguishes {}.").format(total, term, rows)
    return Markup("{} of {} {} {} {}; {} the same in all of them.").format(
        told, total, term, "distinguishes" if told == "1" else "distinguish", rows, _are(same)
    )


def _are(names: Sequence[str]) -> Markup:
    more = len(names) - _NAMES_SHOWN
    shown = columns([*names[:_NAMES_SHOWN], *([f"{count(more)} more"] if more > 0 else [])])
    return Markup("{} {}").format(shown, "is" if len(names) == 1 else "are")
