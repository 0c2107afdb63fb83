"""Every phrase of the reports, with a release of which it is true and one of which it would be false."""

from __future__ import annotations

CONDITIONAL: dict[str, tuple[str, str]] = {
    ", but none scores below … (a gap of … ).": ("internal:heuristic", "internal:one_removed"),
    ", of which the spec allows …": ("internal:limited", "internal:one_removed"),
    ", of which … are in the release": ("internal:one_removed", "internal:none_suppressed"),
    (
        "A row counts for a set of columns in which it is unique, if no smaller part of the set "
        "makes it so: a … ."
    ): ("internal:one_removed", "internal:people_counted"),
    "All rows are suppressed, and the release is empty.": ("internal:empty", "internal:all_starred"),
    "All rows are suppressed. Their other columns are released unchanged.": (
        "internal:all_starred",
        "internal:empty",
    ),
    (
        "An attacker who knows that a person is in the release, and all of that person's … but "
        "nothing else, picks the right … with a probability of at most … … . In the original table "
        "it was … , and … … unique."
    ): ("internal:one_removed", "internal:empty"),
    "At level 0, not generalized.": ("public:one_removed", "public:by_hand"),
    "At most … of the rows may be … , that is … .": ("internal:one_removed", "internal:none_suppressed"),
    (
        "Before is the original table, after is the release. … is the probability that an attacker "
        "who knows all … of a person, and nothing else, finds that person. In a … of n … it is 1 / "
        "n. …"
    ): ("internal:one_removed", "public:one_removed"),
    (
        "Each row is taken for one person, because the spec names no … : where somebody has several"
        " rows in a class, the risk is higher."
    ): ("internal:one_removed", "internal:people_counted"),
    "Estimated number of people who are unique in a population of … , of which the table holds …": (
        "internal:sampled",
        "internal:one_removed",
    ),
    "How many of them are unique in the whole … was not estimated: no sampling fraction was given.": (
        "internal:one_removed",
        "internal:sampled",
    ),
    "How often a guess at a sensitive value is right": ("internal:one_removed", "internal:one_choice"),
    "How often a guess is right": ("internal:one_removed", "internal:one_choice"),
    "In the original table … … … ( … ); in the release … … .": ("internal:one_removed", "public:one_removed"),
    (
        "Internal: not for recipients. This page compares the release with the original table. The "
        "page for recipients is the one whose name ends in .report.html."
    ): ("internal:one_removed", "public:one_removed"),
    "It may not be NULL.": ("internal:one_choice", "internal:one_removed"),
    (
        "Labels of few suppressed rows, and labels that only suppressed rows had, are counted "
        'together as "all other labels".'
    ): ("internal:limited", "internal:none_suppressed"),
    "Levels … to … are allowed.": ("internal:limited", "internal:one_removed"),
    "No claim covers the … … . Whoever knows a person's class may learn its value.": (
        "internal:one_removed",
        "internal:none_suppressed",
    ),
    "No class is released, so there is no risk of this kind to measure.": (
        "internal:empty",
        "internal:one_removed",
    ),
    "No column was declared … , so nothing was measured here.": (
        "internal:one_choice",
        "internal:one_removed",
    ),
    (
        "No population was used for these figures, so the journalist and the marketer are given the"
        " risk of the prosecutor, which theirs cannot exceed."
    ): ("internal:one_removed", "internal:sampled"),
    "No row may be … .": ("internal:none_suppressed", "internal:one_removed"),
    "No row of a released class is unique, so only the original is drawn.": (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "No row was suppressed; … .": ("internal:none_suppressed", "internal:one_removed"),
    "Only level … is allowed.": ("internal:one_choice", "internal:limited"),
    "People are counted, by … .": ("internal:people_counted", "internal:one_removed"),
    "Released with its values unchanged.": ("internal:one_removed", "internal:one_choice"),
    ("Such rows are released with * in every quasi-identifier; their other columns are unchanged."): (
        "internal:three_starred",
        "internal:one_removed",
    ),
    "Such rows are not in the release.": ("internal:one_removed", "internal:three_starred"),
    (
        "The attacker knows the class of each person and guesses the most frequent value in it. The"
        " dashed bar below is the most frequent value of the same rows, without their classes."
    ): ("internal:one_removed", "internal:one_choice"),
    (
        "The choice of levels scores … by … . It was picked from … that satisfy the models, and is "
        "not the best of them."
    ): ("internal:by_hand", "internal:one_removed"),
    "The choice of levels scores … by … . The search was … : a better choice may exist": (
        "internal:heuristic",
        "internal:one_removed",
    ),
    (
        "The choice of levels scores … by … and is … : no other choice that the spec allows "
        "satisfies its models and scores better."
    ): ("internal:one_removed", "internal:heuristic"),
    "The hierarchies give … choices of levels … .": ("internal:one_removed", "internal:one_choice"),
    (
        "The journalist and the marketer search the population, whose classes are estimated from "
        "the share of it that is in the table."
    ): ("internal:sampled", "internal:one_removed"),
    "The models count people, not rows: … says who a row is about.": (
        "internal:people_counted",
        "internal:one_removed",
    ),
    "The models count rows, and take each for one person: the spec names no … .": (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "The release has 1 class, of … .": ("public:by_hand", "public:one_removed"),
    "The release has all … of the table; … of them … suppressed, with * in every … .": (
        "internal:three_starred",
        "internal:one_removed",
    ),
    "The release has no classes.": ("public:empty", "public:one_removed"),
    "The release has … . The smallest has … , the largest … .": ("public:one_removed", "public:by_hand"),
    "The release is empty: … suppressed.": ("internal:empty", "internal:one_removed"),
    "The roles are those of the spec.": ("internal:one_removed", "internal:proposed"),
    "The roles were proposed by shoal init and are not yet confirmed.": (
        "internal:proposed",
        "internal:one_removed",
    ),
    "The rows are in the order of the input, which may tell who is who.": (
        "internal:proposed",
        "internal:one_removed",
    ),
    (
        "The share of the score of all … that involve the column. A set of several columns counts "
        "for each of them, so the shares can add up to more than 100%. …"
    ): ("internal:one_removed", "internal:people_counted"),
    "The spec allows this choice of levels alone.": ("internal:one_choice", "internal:limited"),
    (
        "The spec names no column that says who a row is about, so each row is taken for one "
        "person. If somebody has several rows, a class has fewer people than rows."
    ): ("public:one_removed", "public:people_counted"),
    (
        "These are rows. The claims count people, by the column … : somebody may have several rows,"
        " so a class can have fewer people than rows."
    ): ("public:people_counted", "public:one_removed"),
    "all rows are suppressed, so no label is in the release.": ("internal:empty", "internal:one_removed"),
    "as in the original table": ("public:proposed", "public:one_removed"),
    "given * in every quasi-identifier": ("internal:three_starred", "internal:one_removed"),
    "held when the release was made; a recipient cannot check it": (
        "public:people_counted",
        "public:one_removed",
    ),
    "not in the spec": ("internal:dropped", "internal:one_removed"),
    "person of the class": ("internal:people_counted", "internal:one_removed"),
    (
        "shoal init proposed the roles of the columns, and nobody has confirmed them. Check them, "
        "then remove the line proposed: from the spec."
    ): ("internal:proposed", "internal:one_removed"),
    "the column has one value only, so it distinguishes nobody.": ("internal:one_choice", "internal:by_hand"),
    "the mean over people, each in the class in which finding them is easiest": (
        "internal:people_counted",
        "internal:one_removed",
    ),
    "… ( … sure in the worst class)": ("internal:one_removed", "internal:none_suppressed"),
    (
        "… Up to … of the rows could be suppressed: such rows have * in every quasi-identifier, and"
        " their other columns are unchanged."
    ): ("public:three_starred", "public:one_removed"),
    (
        "… Up to … of the rows could be suppressed: such rows were removed, so the release need not"
        " be a random sample of the original table."
    ): ("public:one_removed", "public:three_starred"),
    "… became one label in the release, which distinguishes nobody.": (
        "internal:by_hand",
        "internal:one_choice",
    ),
    "… by three statistical models; Dankar's rule selects one of them for a table like this.": (
        "internal:sampled",
        "internal:one_removed",
    ),
    "… counts as a value, but is not allowed in … .": ("internal:one_choice", "internal:one_removed"),
    "… counts as a value.": ("internal:one_removed", "internal:one_choice"),
    "… in the table, all of them released.": ("internal:none_suppressed", "internal:one_removed"),
    "… of the table … not released: … .": ("internal:one_removed", "internal:one_choice"),
    "… of them counted what the release no longer has: recipients cannot check that.": (
        "public:people_counted",
        "public:one_removed",
    ),
    "… of … cannot be checked.": ("internal:failing", "internal:one_removed"),
    "… of … … released; … suppressed and removed.": ("internal:one_removed", "internal:three_starred"),
    (
        "… rows are not a random sample: the models decide which classes they are. The tables list "
        "the labels that they had, as far as released rows have them too. A label with a large "
        "share of suppressed rows is under-represented in the release."
    ): ("internal:limited", "internal:none_suppressed"),
}
"""Where the phrase must be, and where it must not: the page and the case, see `report_cases.py`."""

ELSEWHERE: dict[str, str] = {
    "Accepted, although its values may single people out.": "a column that is accepted as linkable",
    "Nobody is found by them alone.": "columns that are not unique",
    "These columns keep their values: they are … for whoever knows such a value.": "columns that are unique",
    ": the … of … pairs that changed the most": "more than 12 pairs of columns",
    "Generalized by a hierarchy": "a third party's hierarchy without a summary",
    (
        "Models learned to predict a column from the quasi-identifiers, once from original rows and"
        " once from the same rows as the release has them. Both were tested on original rows that "
        "they had not seen, generalized first for the model of the release. The dashed bar is "
        "reached without any quasi-identifier, by always predicting the most frequent value or the "
        "mean."
    ): "tests/unit/report: models are trained there",
    "Not measured: it needs scikit-learn, which is not installed here.": "no scikit-learn",
    "Not measured: there is no column that a model could learn to predict.": "models, and no column to learn",
    (
        "Rows of the release are counted, because … is not in it: where somebody has several rows "
        "in a class, the risk is higher."
    ): "an assessment of files, which the report does not make",
    "The journalist and the marketer search the population that was given.": "never passed",
    "There is no neighbour that could be compared.": "hierarchies without levels",
    "There is no other choice of levels.": "hierarchies without levels",
    (
        "Where the original does no better than the dashed bar, these models found nothing to learn in it."
    ): "models are trained",
    (
        "Where the release does better than the original, coarser values may have kept the model "
        "from overfitting, or it is chance."
    ): "models are trained",
    "the only row is": "a table of one row",
    "the original table (--original FILE), with which some claims compare": "tests/unit/report: t-closeness",
    "the population that the spec names": "tests/unit/report: k-map",
    "… : 1 if all unseen rows are predicted exactly, 0 if the model is no better than their mean.": "models",
    "… : the share of unseen rows that were predicted correctly.": "models are trained",
    "… of models that predict …": "models are trained",
    "… of suppressed rows … not listed.": "more than 8 labels of suppressed rows",
}
"""What none of the small cases has, with what it takes."""

GENERAL: tuple[str, ...] = (
    (
        "A ladder shows all levels of a hierarchy, the coarsest at the top. Bars show how many … a "
        "level has in the original table, on a logarithmic scale. Labels that only suppressed rows "
        "had are counted, but not shown."
    ),
    (
        "A neighbour in the … has one column a … higher or lower. The table says for each what its "
        "release would be like. …"
    ),
    "A … is all rows that are equal in every quasi-identifier.",
    "An … checked every … in plain SQL, with other code than the code that made the release.",
    "Before and after: Cramér's V, an … from 0 to 1. Detail within a label is lost.",
    "Beside the chosen levels",
    "Class sizes, before and after",
    "Columns and their roles",
    "Columns before and after",
    "Columns, as the manifest lists them",
    "Contribution of each column to the score",
    (
        "Each quasi-identifier is released at one … of its … , the same in all rows that are not … "
        "; above level 0 it is … . … …"
    ),
    "Entropy kept per column",
    "Entropy of each column, relative to the original",
    (
        "Half of the queries err by no more than this, nine of ten by no more than … . The dashed "
        "bar is the median error if everything were suppressed."
    ),
    "Median error of count queries",
    "Neighbours of the chosen levels",
    "Not measured: machine learning was switched off.",
    "Risk of being found",
    "Risk of being found, before and after",
    "Risk, before and after",
    "Rows in the class",
    "SHA-256 of the file",
    "Sets of columns that make the most rows unique",
    "Settings of this release",
    "Share of all rows in classes",
    "Share of each column in what makes rows unique",
    "The claims, and how to check them",
    "The quasi-identifiers lost … of their detail on average ( … ). …",
    (
        "The queries above are for reading. Do not run a query from a page or a manifest that "
        "somebody gave you."
    ),
    "The release has … and … .",
    "The … is the sum of these contributions, by the measure … .",
    "The … is … : the smaller, the better. …",
    (
        "The … knows that the person is in the table. The highest risk is that in the smallest "
        "class, the average is … ."
    ),
    "The … of the released labels as a share of that of the original values.",
    "This page shows no time and no folder. The manifest of the release holds the whole spec.",
    "Three attackers (see the glossary)",
    "To check it yourself",
    "Upper bar, outlined: before. Lower bar, solid: after.",
    "Utility: what the data can still be used for",
    (
        "Values of … are … : original values, or coarser ones that cover them, after … . A higher …"
        " is coarser."
    ),
    "Versions of the programs that made it",
    "What a class reveals about its people",
    "What no check can tell",
    (
        "Whether another table about the same people has been published. Two releases of one table "
        "can be joined, and the claims say nothing about the two together."
    ),
    "Whether the law requires more. A low … is an argument, not a legal opinion.",
    (
        "Whether the roles are right. A column that others can know and that was not declared a … "
        "may single people out."
    ),
    "Which columns drive the risk",
    "Which columns the score comes from",
    "Why not a little more or less?",
    (
        "With Python alone, without Shoal: … The checker is a short program that anybody can read. "
        "It compares the file with its manifest and counts the classes again."
    ),
    "With Shoal, which writes its own queries: …",
    "alone in a class",
    "checked by separate code",
    "counted as a value",
    "mean of the quasi-identifiers",
    "the largest distance between a class and the whole table (t-closeness, equal distance)",
    "the largest share in a class / share in the table - 1 (beta-likeness)",
    "the largest |ln(share in a class / share in the table)| (delta-disclosure)",
    "the largest … : at 100% some class gives its value away",
    "the number of different values in the least diverse class (distinct l-diversity)",
    "the same, but rare values count less: exp of the … of the class (entropy l-diversity)",
    "the share of all that are in classes with a single value",
    (
        "… : if a class has few different values of a … , an attacker who knows a person's class "
        "learns much about the person without finding the row. The tables show the worst class."
    ),
    (
        "… : the average share of the column's range that a cell hides; a suppressed cell hides all"
        " of it. Bits: the … . … : the distance between the original distribution and that of the "
        "release, if each label is spread evenly over the values it covers."
    ),
    "… ; … if untouched, … if fully suppressed",
    (
        "… Everything below depends on them. … are not released. … may be generalized. Nobody "
        "should learn the value of a … for a person."
    ),
    (
        "… This page repeats what the released rows and the manifest beside them say. It is the "
        "publisher's statement, not a proof: check the claims yourself ."
    ),
    (
        "… over one to three columns were answered from the original table and from the release. "
        "The error is |answer of the release - true answer| / true answer; true answers below 0.1% "
        "of the rows count as 0.1%."
    ),
    "… with a risk above …",
)
"""Headings, definitions and advice: they say nothing of one release that another could make false."""
