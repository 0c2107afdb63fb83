"""Frequent first names and titles: a column whose values have them names people, whatever its heading."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LISTED: Final = """
    aaron adam adrian agnes ahmed aisha alan albert alejandro alessandro alessia alex alexander
    alexandra alfred ali alice alicja alina alison amanda amelie amir amy ana anastasia anders andre
    andrea andreas andrei andrew andrzej angela angelika anita anja anke ann anna anne annette anthony
    antoine anton antonio arthur astrid barbara bartosz beatrice beatriz ben benjamin bernd bert bettina
    birgit bjorn bob brian bruno camille carl carla carlos carmen carol caroline catherine cem charles
    chiara chloe chris christian christina christine christoph christopher clara claudia claudio clemens
    cristina dan daniel daniela dario david deborah dennis diana diego dieter dirk dmitri dominik donald
    dora doris dorothea dr edith eduardo edward elena elias elif elisabeth elizabeth ella ellen elsa
    emil emilia emily emma emre enrique eric erik erika ernst esra esther eva ewa fabian fatima federico
    felix fernando finn florian francesca francesco francisco franck frank franz franziska frau fred
    frederic freya friedrich gabriel gabriele gary george gerd gerhard gina giovanni giulia giuseppe
    gregor greta guido guillaume gustav hana hanna hannah hans harald harry hasan heike heinrich heinz
    helen helena helga henrik henry herbert herr holger hugo ian ibrahim ida igor ines ingrid irene iris
    isabel isabella ivan jakob james jan jana jane janet jason javier jean jeff jennifer jens jessica
    jim joachim joan joanna johan johann johanna john jonas jorge jose josef joseph joshua juan julia
    julian julie jurgen kai karen karin karl karolina katarzyna kate katharina katrin kevin kira klara
    klaus krzysztof lara larissa lars laura lauren lea lena leo leon leonie lidia lieke lina linda lisa
    louise luca lucas lucia lucie luigi luis luisa lukas magdalena maja manuel manuela marc marcel marco
    margaret margit maria marie marina mario marion mark marta martha martin martina mateusz matteo
    matthew matthias max maximilian maya mehmet mei melanie mia michael michal michel michele miguel
    mika mikael mike mikhail miriam mme mohamed mohammed monica monika moritz mr mrs ms mustafa nadia
    nadine natalia natalie nathalie nicholas nick nicola nicolas nicole niklas nils nina noah nora olaf
    ole oleg olga oliver olivia omar oscar otto pablo paolo pascal patricia patrick paul paula pawel
    pedro per peter petra philip philipp philippe pia pierre piotr prof rachel rafael rainer ralf
    rebecca renate ricardo richard rita robert roberto roger roland rolf roman rosa ruth sabine sally
    sam samantha samuel sandra sara sarah sebastian sergei sergio silke silvia simon simone sina sofia
    sofie sonja sophia sophie stefan stefanie stella stephan stephanie stephen steven susan susanne sven
    svetlana sylvia tanja tatiana teresa thea theo theresa thomas tim tina tobias tom tomasz udo ulrich
    ulrike ursula ute uwe valentina vera veronika victor viktor vincent viola vladimir volker walter wei
    werner wilhelm william wolfgang yan yasmin yusuf yves zoe zofia алексеи андреи анна дмитрии елена
    иван игорь мария наталья нина олег ольга сергеи татьяна
"""
_NAMES: Final = frozenset(_LISTED.split())
_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 4


def has_name(text: str) -> bool:
    """Return whether a short text has a frequent first name, or a title.

    Examples
    --------
    >>> has_name("Weber, Anna"), has_name("Dr. Weber"), has_name("Jos\u00e9")
    (True, True, True)
    >>> has_name("annual"), has_name("Dominican-Republic"), has_name("a walk with Anna and the dog")
    (False, False, False)
    """
    if "@" in text:
        return False
    letters = unicodedata.normalize("NFKD", text.casefold())
    found = _WORD.findall("".join(letter for letter in letters if not unicodedata.combining(letter)))
    return len(found) <= _MOST_WORDS and not _NAMES.isdisjoint(found)
