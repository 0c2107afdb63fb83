"""Every phrase of the reports that has four words or more, and what would show that it is false.

A phrase is in one of three lists. `CONDITIONAL`: a page that must have it and one that must not. `TESTED`: a
sentence that every page has, or one with figures; a test derives them from the input and the released rows.
`GENERAL`: headings, definitions and advice, which are the same whatever the release is. Shorter phrases are
not listed, nor are the glossary, the notes of the search and what models say about themselves.
"""

from __future__ import annotations

CONDITIONAL: dict[str, tuple[str, str]] = {
    "None of the … … distinguishes … .": ("internal:by_hand", "internal:one_removed"),
    "that are not suppressed": ("public:three_starred", "public:one_removed"),
    "how often somebody is right who knows each person's class and guesses its most frequent value": (
        "internal:one_removed",
        "internal:one_choice",
    ),
    ", but none scores below … (a gap of … ).": ("internal:heuristic", "internal:one_removed"),
    (", if rows are starred as here: those of classes that fail, then the smallest classes"): (
        "internal:three_starred",
        "internal:one_removed",
    ),
    ", of which the spec allows …": ("internal:limited", "internal:one_removed"),
    ", of which … … in the release": ("internal:one_removed", "internal:none_suppressed"),
    ": the … of … pairs that changed the most": ("internal:wide", "internal:one_removed"),
    (
        "A row counts for a set of columns in which it is unique, if no smaller part of the set "
        "makes it so: a … ."
    ): ("internal:one_removed", "internal:people_counted"),
    "Accepted, although its values may single people out.": ("internal:accepted", "internal:one_removed"),
    "All rows are suppressed, and the release is empty.": ("internal:empty", "internal:all_starred"),
    "All rows are suppressed. Their other columns are not generalized.": (
        "internal:all_starred",
        "internal:empty",
    ),
    (
        "An attacker who knows that a person is in the release, and all of that person's … but "
        "nothing else, picks the right … with a probability of at most … … . In the original "
        "table it was … , and … … unique."
    ): ("internal:one_removed", "internal:empty"),
    "Another recoding keeps more: with … it would score … .": (
        "internal:keeps_more",
        "internal:one_removed",
    ),
    "At level 0, not generalized.": ("public:one_removed", "public:by_hand"),
    "At most … of the rows may be … , that is … .": ("internal:one_removed", "internal:none_suppressed"),
    (
        "Before is the original table, after is the release. … is the probability that an "
        "attacker who knows all … of a person, and nothing else, finds that person. In a … of n …"
        " it is 1 / n. …"
    ): ("internal:one_removed", "public:one_removed"),
    "Beside the chosen levels": ("internal:one_choice", "internal:bare"),
    "Contribution of each column to the score": ("internal:one_removed", "internal:people_counted"),
    (
        "Each row is taken for one person, because the spec names no … : where somebody has "
        "several rows in a class, the risk is higher."
    ): ("internal:one_removed", "internal:people_counted"),
    ("Estimated number of people who are unique in a population of … , of which the table holds …"): (
        "internal:sampled",
        "internal:one_removed",
    ),
    "Has a hierarchy without a description": ("internal:bare", "internal:one_removed"),
    "How many of them are unique in the whole … was not estimated: … .": (
        "internal:one_removed",
        "internal:sampled",
    ),
    "no sampling fraction was given": ("internal:one_removed", "internal:sampled_visits"),
    "some people have rows in several classes": ("internal:sampled_visits", "internal:one_removed"),
    "In the original table … … … ( … ); in the release … … .": ("internal:one_removed", "public:one_removed"),
    (
        "Internal: not for recipients. This page compares the release with the original table. A page "
        "for recipients has a name that ends in .report.html."
    ): ("internal:one_removed", "public:one_removed"),
    "It may not be NULL.": ("internal:one_choice", "internal:one_removed"),
    (
        "Labels of few suppressed rows, and labels that only suppressed rows had, are counted "
        'together as "all other labels".'
    ): ("internal:limited", "internal:none_suppressed"),
    "Levels … to … are allowed.": ("internal:limited", "internal:one_removed"),
    "Median error of count queries": ("internal:one_removed", "internal:one_choice"),
    (
        "once from the same rows as the release has them. Both were tested on original rows that they had "
        "not seen, generalized first for the model of the release."
    ): ("learned:better", "learned:unmatched"),
    (
        "once from rows of the release. Both were tested on original rows, generalized first for the model "
        "of the release, which may have seen some of them."
    ): ("learned:unmatched", "learned:better"),
    ("Models learned to predict a column from the quasi-identifiers, once from original rows and"): (
        "learned:better",
        "learned:no_column",
    ),
    (
        "The dashed bar is reached without any quasi-identifier, by always predicting the most frequent "
        "value or the mean."
    ): ("learned:better", "learned:no_column"),
    "Numbers and dates may become ranges instead.": ("internal:ranges", "internal:partitioned"),
    "Values may become sets of values instead.": ("internal:sets", "internal:ranges"),
    "Numbers and dates may become ranges instead; other values may become sets of values.": (
        "internal:partitioned",
        "internal:ranges",
    ),
    "Models of sensitive columns had no part in the choice.": ("internal:blind", "internal:none_suppressed"),
    "Neighbours of the chosen levels": ("internal:one_choice", "internal:bare"),
    ("No claim covers the … … . Whoever knows a person's class may learn the person's values there."): (
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
        "No population was used for these figures, so the journalist and the marketer are given "
        "the risk of the prosecutor, which theirs cannot exceed."
    ): ("internal:one_removed", "internal:sampled"),
    "No row may be … .": ("internal:none_suppressed", "internal:one_removed"),
    "No row of a released class is unique, so only the original is drawn.": (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "No row was suppressed; … .": ("internal:none_suppressed", "internal:one_removed"),
    "Not measured: it needs scikit-learn, which is not installed here.": (
        "learned:not_installed",
        "learned:better",
    ),
    "Not measured: machine learning was switched off.": ("internal:one_removed", "learned:better"),
    "Not measured: there is no column that a model could learn to predict.": (
        "learned:no_column",
        "learned:better",
    ),
    "Only level … is allowed.": ("internal:one_choice", "internal:limited"),
    "People are counted, by … .": ("internal:people_counted", "internal:one_removed"),
    "Released with its values unchanged.": ("internal:one_removed", "internal:one_choice"),
    "SHA-256 of the file": ("public:one_removed", "internal:one_removed"),
    "Sets of columns that make the most rows unique": ("internal:one_removed", "internal:people_counted"),
    "Share of all rows in classes": ("public:one_removed", "public:empty"),
    "Share of each column in what makes rows unique": ("internal:one_removed", "internal:people_counted"),
    "Such rows are not in the release.": ("internal:one_removed", "internal:three_starred"),
    ("Such rows are released with * in every quasi-identifier; their other columns are not generalized."): (
        "internal:three_starred",
        "internal:one_removed",
    ),
    "the same for the most frequent value of the same rows, without their classes": (
        "internal:one_removed",
        "internal:people_counted",
    ),
    (
        "the same without the class. Somebody with rows in several classes counts in each, with "
        "the values that they have there"
    ): ("internal:people_counted", "internal:one_removed"),
    "Somebody with rows in several classes counts once, in the smallest of these.": (
        "internal:people_counted",
        "internal:one_removed",
    ),
    (
        "About … % of the released rows are unique by the columns that are not quasi-identifiers, "
        "… % together with the quasi-identifiers."
    ): ("public:one_removed", "public:one_choice"),
    "No claim covers the sensitive … : a class may reveal the values of its people.": (
        "public:one_removed",
        "public:none_suppressed",
    ),
    "Recipients cannot check … of them: … data that is not released.": (
        "public:close",
        "public:one_removed",
    ),
    "To divide the rows, the values of … were put into … .": (
        "internal:partitioned",
        "internal:partitioned_without_models",
    ),
    "How much more likely sensitive values are in a class": (
        "internal:none_suppressed",
        "internal:one_removed",
    ),
    (
        "The … of a value is its share in a class / its share in the release - 1: 0 where both are the same, "
        "1 where the value is twice as likely in the class."
    ): ("public:none_suppressed", "public:one_removed"),
    "The mean is over rows: each counts with its own value in its own class.": (
        "internal:none_suppressed",
        "internal:several_classes",
    ),
    (
        "Shares are of people, and somebody with several values counts for each of them. The mean is over "
        "the people of each class and their values there."
    ): ("internal:several_classes", "internal:none_suppressed"),
    "Level 0 is the values themselves.": ("internal:none_suppressed", "internal:one_removed"),
    "The levels above it are those of the column's … .": ("public:kinds", "public:kinds_in_a_file"),
    "The roles of the columns are proposals of a program that nobody has confirmed.": (
        "public:proposed",
        "public:one_removed",
    ),
    "The recoding scores … by … ; a better one may exist.": (
        "internal:frequent_values",
        "internal:best_values",
    ),
    "The recoding scores … by … and is … : none of its kind scores better.": (
        "internal:best_values",
        "internal:frequent_values",
    ),
    "Values became … by a recoding of the kind …": ("internal:frequent_values", "internal:one_removed"),
    "Labels of … overlap: rows with the same value may have different ones.": (
        "internal:overlapping",
        "internal:no_overlap",
    ),
    (
        "The … of a row may depend on its … too, so rows that were equal in every quasi-identifier may have "
        "different labels. Whoever knows the algorithm and everybody's quasi-identifiers can look for the "
        "tables that lead to this release (docs/minimality.md)."
    ): ("internal:partitioned", "internal:partitioned_without_models"),
    (
        "Rows that were equal in every quasi-identifier may have different labels: the class of a row "
        "may depend on sensitive values too."
    ): ("public:partitioned", "public:partitioned_without_models"),
    "What was chosen for each quasi-identifier": ("internal:frequent_values", "internal:one_removed"),
    "A higher … is coarser.": ("public:one_removed", "public:overlapping"),
    "Of … a row has an average over all rows of its … in place of its own value, which may be another.": (
        "public:averages",
        "public:overlapping",
    ),
    "A mean is rounded.": ("public:averages", "public:medians"),
    "Of two middle values the median is the lower one.": ("public:medians", "public:averages"),
    "Of values that are equally frequent the mode is the middle one.": (
        "public:some_averages",
        "public:averages",
    ),
    "NULL does not count where others have values.": ("public:medians", "public:overlapping"),
    "Rows get the … of their class instead.": ("internal:averages", "internal:partitioned"),
    "Of … it is counted as if numbers were normally distributed.": (
        "internal:averages",
        "internal:one_removed",
    ),
    "Of … it is the least that Fano's inequality allows.": ("internal:some_averages", "internal:averages"),
    ": log2(rows / rows with that label), counted in the original table": (
        "internal:one_removed",
        "internal:averages",
    ),
    (
        "Loss of … : the squared error of the released numbers as a share of the column's variance; a "
        "suppressed cell counts as all of it."
    ): ("internal:averages", "internal:one_removed"),
    "Loss of … : the share of rows that have another value; suppressed rows count among them.": (
        "internal:some_averages",
        "internal:averages",
    ),
    "Of … this counts the squared error as a share of the variance.": (
        "internal:some_averages",
        "internal:averages",
    ),
    "Of … this counts the share of the rows that have another value.": (
        "internal:some_averages",
        "internal:averages",
    ),
    "… : the average share of the column's range that a cell hides; a suppressed cell hides all of it.": (
        "internal:one_removed",
        "internal:averages",
    ),
    (
        "An average of … stands for as many as a label that fits its … would cover, such as its range; where "
        "several have the same, for as many as these would on average."
    ): ("internal:averages", "internal:overlapping"),
    "Each row has the … of its class.": ("public:averages", "public:overlapping"),
    "All rows are suppressed, so no label is in the release.": ("internal:no_cells", "internal:many_cells"),
    "Each row has its original value or a coarser label.": ("public:frequent_values", "public:one_removed"),
    "How much the labels cover": ("internal:overlapping", "internal:one_removed"),
    (
        "Labels of one column may overlap: a row with 25 and a row with [20, 40) can be of the same age. To "
        "estimate how many rows have a value, spread the rows of each label evenly over the values that it "
        "covers."
    ): ("public:overlapping", "public:no_overlap"),
    "Most frequent labels of": ("internal:many_cells", "internal:no_cells"),
    "Rows by how many values of … their labels cover": ("internal:overlapping", "internal:one_removed"),
    "Some of these labels overlap.": ("public:overlapping", "public:no_overlap"),
    "The release has … ; the … most frequent are listed.": ("internal:many_cells", "internal:overlapping"),
    (
        "The choice of levels scores … by … . It was picked from … that satisfy … , and is not "
        "the best of them. …"
    ): ("internal:by_hand", "internal:one_removed"),
    ("The choice of levels scores … by … . The search was … : a better choice may exist"): (
        "internal:heuristic",
        "internal:one_removed",
    ),
    (
        "The choice of levels scores … by … and is … : no other choice that the spec allows "
        "satisfies … and scores better … . …"
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
    ("The models count rows, and take each for one person: the spec names no … ."): (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "The release has 1 class, of … .": ("public:by_hand", "public:one_removed"),
    ("The release has all … of the table; … of them … suppressed, with * in every … ."): (
        "internal:three_starred",
        "internal:one_removed",
    ),
    "The release has no classes.": ("public:empty", "public:one_removed"),
    "The release has … . The smallest has … , the largest … .": ("public:one_removed", "public:by_hand"),
    "The release is empty: … suppressed.": ("internal:empty", "internal:one_removed"),
    "The roles are those of the spec.": ("internal:one_removed", "internal:proposed"),
    "So was the column by which people are counted.": ("internal:proposed_unit", "internal:proposed"),
    (
        "The claims about sensitive columns judge each class by itself. The classes of somebody who has "
        "rows in several of them can reveal more together."
    ): ("public:several_classes", "public:people_counted"),
    "The program also proposed the column by which people are counted.": (
        "public:proposed_unit",
        "public:proposed",
    ),
    "The roles were proposed by shoal init and are not yet confirmed.": (
        "internal:proposed",
        "internal:one_removed",
    ),
    "The rows are in the order of the input, which may reveal who is who.": (
        "internal:proposed",
        "internal:one_removed",
    ),
    (
        "The share of the score of all … that involve the column. A set of several columns counts"
        " for each of them, so the shares can add up to more than 100%. …"
    ): ("internal:one_removed", "internal:people_counted"),
    "The spec allows this choice of levels alone.": ("internal:one_choice", "internal:limited"),
    (
        "The spec names no column that says who a row is about, so each row is taken for one "
        "person. If somebody has several rows, a class has fewer people than rows."
    ): ("public:one_removed", "public:people_counted"),
    "The table and the lattice leave models of sensitive columns out too.": (
        "internal:blind",
        "internal:none_suppressed",
    ),
    "There is no neighbour that could be compared.": ("internal:bare", "internal:one_choice"),
    "There is no other choice of levels.": ("internal:bare", "internal:one_choice"),
    (
        "These are rows. The claims count people, by the column … : somebody may have several "
        "rows, so a class can have fewer people than rows."
    ): ("public:people_counted", "public:one_removed"),
    ("These columns keep their values: they are … for whoever knows such a value."): (
        "internal:accepted",
        "internal:one_removed",
    ),
    ("Where the original does no better than the dashed bar, these models found nothing to learn in it."): (
        "learned:nothing",
        "learned:better",
    ),
    (
        "Where the release does better than the original, coarser values may have kept the model "
        "from overfitting, or it is chance."
    ): ("learned:better", "learned:worse"),
    "Which columns drive the risk": ("internal:one_removed", "internal:people_counted"),
    "Which columns the score comes from": ("internal:one_removed", "internal:people_counted"),
    ("Whoever knows these values of a person and the quasi-identifiers may find the row."): (
        "internal:one_removed",
        "internal:accepted",
    ),
    (
        "With Python alone, without Shoal: … The checker is a short program that anybody can "
        "read. It compares the file with its manifest and counts the classes again."
    ): ("internal:one_removed", "internal:parquet"),
    (
        "The pseudonym … shows which rows belong together. … of its … tokens have a combination of classes "
        "that fewer than … share."
    ): ("public:tokens", "public:one_removed"),
    "Tokens are released in place of its values, the same token for the same value.": (
        "internal:tokens",
        "internal:one_removed",
    ),
    "Tokens in place of values, the same token for the same value.": ("public:tokens", "public:one_removed"),
    "… … tokens in place of the values.": ("internal:tokens", "internal:one_removed"),
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
        "shoal init proposed the roles of the columns, and nobody has confirmed them. Check them,"
        " then remove the line proposed: from the spec."
    ): ("internal:proposed", "internal:one_removed"),
    "the column has one value only, so it distinguishes nobody.": ("internal:one_choice", "internal:by_hand"),
    ("the fewest values that account for all people of a class (distinct l-diversity)"): (
        "internal:people_counted",
        "internal:one_removed",
    ),
    ("the largest distance between a class and the whole table (t-closeness, equal distance)"): (
        "internal:one_removed",
        "internal:people_counted",
    ),
    (
        "the largest distance between a class and the whole table, by the people who have a value"
        " and by the number of values that people have (t-closeness, equal distance)"
    ): ("internal:people_counted", "internal:one_removed"),
    "the largest share in a class / share in the table - 1 (beta-likeness)": (
        "internal:one_removed",
        "internal:one_choice",
    ),
    ("the largest |ln(share in a class / share in the table)| (delta-disclosure)"): (
        "internal:one_removed",
        "internal:one_choice",
    ),
    "the largest … : at 100% some class gives its value away": (
        "internal:one_removed",
        "internal:one_choice",
    ),
    ("the mean over people, each in the class in which finding them is easiest"): (
        "internal:people_counted",
        "internal:one_removed",
    ),
    ("the number of different values in the least diverse class (distinct l-diversity)"): (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "the only row is": ("internal:one_row", "internal:empty"),
    "the original table (--original FILE), with which some claims compare": (
        "internal:close",
        "internal:one_removed",
    ),
    "the population that the spec names": ("public:present", "public:one_removed"),
    ("the same, but rare values count less: exp of the … of the class (entropy l-diversity)"): (
        "internal:one_removed",
        "internal:one_choice",
    ),
    "the share of the people in classes where all have a value in common": (
        "internal:people_counted",
        "internal:one_removed",
    ),
    "the share of the rows in classes with a single value": (
        "internal:one_removed",
        "internal:people_counted",
    ),
    "… ( … sure in the worst class)": ("internal:one_removed", "internal:none_suppressed"),
    ("… : 1 if all unseen rows are predicted exactly, 0 if the model is no better than their mean."): (
        "learned:numbers",
        "learned:better",
    ),
    (
        "… : if a class has few different values of a … , an attacker who knows a person's class "
        "learns much about the person without finding the row."
    ): ("internal:one_removed", "internal:one_choice"),
    "… : the share of unseen rows that were predicted correctly.": ("learned:better", "learned:numbers"),
    "… No row was suppressed.": ("public:present", "public:one_removed"),
    "… became one label, which distinguishes nobody.": (
        "internal:by_hand",
        "internal:one_choice",
    ),
    ("… by three statistical models; Dankar's rule selects one of them for a table like this."): (
        "internal:sampled",
        "internal:one_removed",
    ),
    "… counts as a value, but is not allowed in … .": ("internal:one_choice", "internal:one_removed"),
    "… counts as a value.": ("internal:one_removed", "internal:one_choice"),
    "… in the table, all of them released.": ("internal:none_suppressed", "internal:one_removed"),
    "… of models that predict …": ("learned:better", "learned:no_column"),
    "… of suppressed rows … not listed.": ("internal:many_labels", "internal:limited"),
    "… of the table … not released: … .": ("internal:one_removed", "internal:one_choice"),
    "… of … cannot be checked.": ("internal:failing", "internal:one_removed"),
    "… of … … released; … suppressed and removed.": ("internal:one_removed", "internal:three_starred"),
    (
        "… rows are not a random sample: the models decide which classes they are. The tables "
        "list the labels that they had, as far as released rows have them too. A label with a "
        "large share of suppressed rows is under-represented in the release."
    ): ("internal:limited", "internal:none_suppressed"),
    "… … … * in every quasi-identifier; their other columns are not generalized.": (
        "public:three_starred",
        "public:one_removed",
    ),
    ("… … … suppressed and removed, so the release need not be a random sample of the original table."): (
        "public:one_removed",
        "public:three_starred",
    ),
}
"""Where the phrase must be, and where it must not: the page and the case, see `report_cases.py`."""

TESTED: dict[str, str] = {
    "rows of the release": "test_the_first_line_counts_the_columns_that_distinguish_rows",
    "… of … … … … ; … the same in all of them.": (
        "test_the_first_line_counts_the_columns_that_distinguish_rows"
    ),
    (
        "A bar is the share of the released rows whose … cover so many values: of those that the … lists, or "
        'else of those in the original table. "unchanged" is the original value alone, "everything" all '
        "values."
    ): "test_widths_are_those_of_the_labels_that_rows_have",
    (
        "A ladder shows all levels of a hierarchy, the coarsest at the top. Bars show how many … "
        "a level has in the original table, on a logarithmic scale. Labels that only suppressed "
        "rows had are counted, but not shown."
    ): "test_labels_of_suppressed_rows_alone_are_counted_and_not_shown",
    (
        "A neighbour in the … has one column a … higher or lower. The table says for each what "
        "its release would be like. …"
    ): "test_the_proof_is_one",
    "A … is all rows that are equal in every quasi-identifier.": "test_rows_and_classes_are_right",
    (
        "Each quasi-identifier is released at one … of its … , the same in all rows that are not "
        "… ; above level 0 it is … . … …"
    ): "test_released_labels_cover_the_original_values",
    (
        "Half of the queries err by no more than this, nine of ten by no more than … . The dashed"
        " bar is the median error if only the values of each column and the number of rows were "
        "known."
    ): "test_count_queries_err_as_the_page_says",
    "The quasi-identifiers lost … of their detail on average ( … ).": "test_what_cells_hide_and_tell",
    (
        "The squared error of the quasi-identifiers is … of their variance on average."
    ): "test_what_averages_hide_and_tell",
    "The release has … and … .": "test_rows_and_classes_are_right",
    "The … is the sum of these contributions, by the measure … .": "test_what_cells_hide_and_tell",
    (
        "The … knows that the person is in the table. The highest risk is that in the class of "
        "the fewest … , the average is … ."
    ): "test_the_risk_is_that_of_the_smallest_class",
    "This page shows no time and no folder.": "test_no_time_and_no_folder_is_shown",
    (
        "Values of … are … : original values, or coarser ones that cover them, after … ."
    ): "test_released_labels_cover_the_original_values",
    "Information kept: the bits in a released cell as a share of those in an original cell": (
        "test_what_cells_hide_and_tell"
    ),
    ". A suppressed cell has none.": "test_what_cells_hide_and_tell",
    "alone in a class": "test_the_risk_is_that_of_the_smallest_class",
    "checked by separate code": "test_other_code_checks_claims",
    "counted as a value": "test_null_counts_as_a_value",
    "in plain SQL, with other code than the code that made the release.": "test_other_code_checks_claims",
    "mean of the quasi-identifiers": "test_what_cells_hide_and_tell",
    "of the variance, mean of the quasi-identifiers": "test_what_averages_hide_and_tell",
    (
        "Bits: the average information in a cell, which before is the … . … : the distance "
        "between the original distribution and that of the release, if each label is spread "
        "evenly over the values it covers."
    ): "test_what_cells_hide_and_tell",
    "… ; … if untouched, … if fully suppressed": "test_what_cells_hide_and_tell",
    (
        "… are not released. … may be generalized. Nobody should learn the value of a … for a person."
    ): "test_identifiers_are_in_no_file",
    (
        "… This page repeats what the released rows and the manifest beside them say. It is the "
        "publisher's statement, not a proof: check the claims yourself ."
    ): "test_the_page_for_recipients_can_be_made_from_the_released_files_alone",
    (
        "… over … were answered from the original table and from the release. The error is "
        "|answer of the release - true answer| / true answer; true answers below 0.1% of the rows,"
        " or below one row, count as that."
    ): "test_count_queries_err_as_the_page_says",
    "… with a risk above …": "test_the_risk_is_that_of_the_smallest_class",
}
"""The test that compares the sentence with the data, by its name."""

GENERAL: tuple[str, ...] = (
    "Columns and their labels",
    "Columns and what is left of them",
    "… Everything below depends on them.",
    ("Before and after: Cramér's V, an … from 0 to 1. Detail within a label is lost."),
    "Class sizes, before and after",
    "Columns and their roles",
    "Columns before and after",
    "Risk of being found",
    "Risk of being found, before and after",
    "Risk, before and after",
    "Rows in the class",
    "Settings of this release",
    "The claims, and how to check them",
    (
        "The queries above are for reading. Do not run a query from a page or a manifest that "
        "somebody gave you."
    ),
    "The … is … : the smaller, the better. …",
    "Three attackers (see the glossary)",
    "To check it yourself",
    "Upper bar, outlined: before. Lower bar, solid: after.",
    "Utility: what the data can still be used for",
    "Versions of the programs that made it",
    "What a class reveals about its people",
    "What no check can show",
    (
        "Whether another table about the same people has been published. Two releases of one "
        "table can be joined, and the claims say nothing about the two together."
    ),
    ("Whether the law requires more. A low … is an argument, not a legal opinion."),
    (
        "Whether the roles are right. A column that others can know and that was not declared a …"
        " may single people out."
    ),
    "Why not a little more or less?",
    "With Shoal, which writes its own queries: …",
)
"""What says nothing of one release that another could make false."""
