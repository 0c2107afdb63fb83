"""Words of which categories are made, so that texts of unknown meaning are known not to name anybody.

Whatever has another word may be a name and is not released. More words here release more categories, never a
name: so none is somebody's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shoal.suggestions.names import words
from shoal.suggestions.null_like import NULL_LIKE

_LISTED: Final = """
    yes no not true false none other others unknown missing any all both neither either never ever always
    sometimes often rarely seldom once former formerly current currently past present new old
    male female m f man woman men women boy girl diverse
    low medium middle mid high higher lower very extreme extremely normal abnormal average good fair poor bad
    better worse excellent best worst small large big short long light heavy mild moderate severe critical
    weak strong least most more less than over under above below up to and or of the in out on off at by
    inpatient outpatient day night morning evening emergency elective urgent routine planned acute chronic
    public private self state federal local urban rural suburban city country
    single married divorced widowed separated partnered
    full part time temporary permanent seasonal employed unemployed retired student
    active inactive open closed pending approved rejected accepted denied paid unpaid done completed cancelled
    positive negative neutral agree disagree strongly somewhat satisfied dissatisfied
    control treated treatment placebo intervention case exposed unexposed alive dead deceased survived
    first second third fourth primary secondary tertiary basic standard premium gold silver bronze
    left right north south east west central upper
    red green blue yellow black white brown grey gray orange
    year years month months week weeks days hour hours per child children adult adults
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter
    ja nein nicht keine keiner sonstige andere unbekannt maennlich weiblich divers mann frau niedrig mittel
    hoch klein gross gut schlecht ledig verheiratet geschieden verwitwet gesetzlich privat stationaer ambulant
    aktiv offen geschlossen positiv negativ monatlich jaehrlich
    oui non autre autres inconnu aucun aucune homme femme masculin feminin faible moyen eleve bon mauvais
    celibataire marie mariee divorce divorcee veuf veuve prive
    si otro otra otros desconocido ninguno ninguna hombre mujer masculino femenino bajo medio alto bueno malo
    soltero soltera casado casada divorciado divorciada viudo viuda publico privado
    altro ignoto uomo donna maschio femmina basso alto celibe nubile sposato sposata
    nee anders onbekend geen man vrouw laag gemiddeld hoog gehuwd gescheiden
    sim nao outro outra homem mulher baixo solteiro solteira
    nie tak inne mezczyzna kobieta niski sredni wysoki
"""
_WORDS: Final = frozenset(_LISTED.split())


def are_categories(values: Iterable[str], heading: str) -> bool:
    """Return whether all values are single characters, numbers, or words of categories or of their heading.

    Examples
    --------
    >>> are_categories(["in", "out", "day"], "x"), are_categories(["<=50K", "1. low"], "x")
    (True, False)
    >>> are_categories(["A", "B"], "x"), are_categories(["AB", "CD"], "x"), are_categories(["Anna"], "x")
    (True, False, False)
    >>> are_categories(["Arm 1", "Arm 2"], "study_arm"), are_categories(["P01", "P02"], "x")
    (True, False)
    """
    known = _WORDS | set(words(heading))
    return all(_is_category(value.strip(), known) for value in values)


def _is_category(value: str, known: frozenset[str]) -> bool:
    if len(value) <= 1 or value.casefold() in NULL_LIKE:
        return True
    found = words(value)
    return bool(found) and all(word.isdigit() or word in known for word in found)
