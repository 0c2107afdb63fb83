"""Labels as numbers: the mean of what they may have been."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe.label_cover import Domain
from shoal.utility.features import Features

PEOPLE = pa.table({"age": [21, 22, 29, 35], "job": ["cook", "clerk", "cook", "judge"]})


def encode(encoder: shoal.LabelEncoder, name: str, cells: list[str | None]) -> list[list[float]]:
    """Encode cells of one column, the others being `*`."""
    names = encoder.feature_names_in_.tolist()
    table = {column: cells if column == name else ["*"] * len(cells) for column in names}
    chosen = [
        position
        for position, feature in enumerate(encoder.get_feature_names_out())
        if feature == name or feature.startswith((f"{name}=", f"{name} is"))
    ]
    return encoder.transform(pa.table(table))[:, chosen].tolist()


def test_a_mask_that_covers_nothing_is_told():
    encoder = shoal.LabelEncoder().fit(pa.table({"zip": ["01234", "12345"]}))
    with pytest.warns(UserWarning, match=r"encoded as '\*': zip \(1\)"):
        assert encode(encoder, "zip", ["99***", "0123*", None]) == [[0.5, 0.5], [1, 0], [0.5, 0.5]]


def test_a_number_beyond_all_is_a_name():
    encoder = shoal.LabelEncoder().fit(pa.table({"code": ["1e999", "1"]}))
    assert encode(encoder, "code", ["1e999", "*"]) == [[1, 0], [0.5, 0.5]]


def test_an_original_comes_out_as_itself():
    encoder = shoal.LabelEncoder()
    assert encoder.fit_transform(PEOPLE).tolist() == [
        [21, 1, 0, 0],
        [22, 0, 1, 0],
        [29, 1, 0, 0],
        [35, 0, 0, 1],
    ]
    assert encoder.get_feature_names_out().tolist() == ["age", "job=cook", "job=clerk", "job=judge"]


def test_labels_are_the_mean_of_what_they_cover():
    encoder = shoal.LabelEncoder().fit(PEOPLE)
    assert encode(encoder, "age", ["[20, 30)", "*", ">= 30", "< 22"]) == [[24], [26.75], [35], [21]]
    assert encode(encoder, "job", ["{cook, judge}"]) == [[0.5, 0, 0.5]]
    assert encode(encoder, "job", ["*"])[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_what_no_value_is_known_of():
    encoder = shoal.LabelEncoder().fit(PEOPLE)
    assert encode(encoder, "age", ["[40, 50)", ">= 90", "50"]) == [[45], [90], [50]]
    with pytest.warns(UserWarning, match=r"encoded as '\*': job \(1\)") as told:
        assert encode(encoder, "job", ["poet"])[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert "poet" not in str(told[0].message)


def test_hierarchies_tell_what_names_stand_for():
    jobs = shoal.taxonomy({"staff": ["cook", "clerk"], "court": ["judge"]})
    encoder = shoal.LabelEncoder({"job": jobs}).fit(PEOPLE)
    assert encode(encoder, "job", ["staff", "court", "cook"]) == [[0.5, 0.5, 0], [0, 0, 1], [1, 0, 0]]


def test_a_spec_has_hierarchies_too_also_those_made_from_the_table():
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.quantiles(2), "job": shoal.suppress()}, privacy=[shoal.KAnonymity(2)]
    )
    release = shoal.anonymize(PEOPLE, spec.adjust(levels={"age": 1}))
    encoded = shoal.LabelEncoder(spec).fit(PEOPLE).transform(release.data)
    assert sorted(encoded[:, 0]) == [21.5, 21.5, 32, 32]


def test_a_value_that_others_are_rounded_to_stays_itself():
    encoder = shoal.LabelEncoder({"age": shoal.rounding(10)}).fit(pa.table({"age": [46, 50, 54]}))
    assert encoder.transform(pa.table({"age": [46, 50, 54]})).ravel().tolist() == [46, 50, 54]


def test_null_has_a_column_of_its_own():
    table = pa.table({"age": [20, 40, None], "sex": ["F", None, "F"]})
    encoder = shoal.LabelEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["age", "age is NULL", "sex=F", "sex is NULL"]
    assert encoder.transform(table).tolist() == [[20, 0, 1, 0], [40, 0, 0, 1], [30, 1, 1, 0]]
    assert encode(encoder, "age", ["*"])[0] == pytest.approx([30, 1 / 3])
    assert encode(encoder, "sex", ["*"])[0] == pytest.approx([0.5, 0.5])


def test_null_that_was_not_seen_is_as_everything():
    encoder = shoal.LabelEncoder().fit(PEOPLE)
    assert encode(encoder, "age", [None]) == [[26.75]]


def test_a_release_alone_is_enough():
    release = pa.table({"age": ["[20, 30)", "[30, 40)", "*"], "job": ["{cook, clerk}", "judge", "judge"]})
    encoder = shoal.LabelEncoder().fit(release)
    assert encoder.get_feature_names_out().tolist() == ["age", "job=cook", "job=clerk", "job=judge"]
    assert encoder.transform(release).tolist() == [[25, 0.5, 0.5, 0], [35, 0, 0, 1], [30, 0, 0, 1]]


def test_masks_that_cover_nothing_else_are_names():
    encoder = shoal.LabelEncoder().fit(pa.table({"zip": ["537**", "902**", "537**"]}))
    assert encoder.get_feature_names_out().tolist() == ["zip=537**", "zip=902**"]
    both = shoal.LabelEncoder(categorical=["zip"]).fit(pa.table({"zip": ["53715", "90210", "537**"]}))
    assert both.transform(pa.table({"zip": ["537**"]})).tolist() == [[1, 0]]


def test_dates_count_in_days():
    table = pa.table({"born": ["1970-01-02", "1970-01-04"]})
    encoder = shoal.LabelEncoder().fit(table)
    later = pa.table({"born": ["1970-01", "1970-01-11", "1970"]})
    assert encoder.transform(later).ravel().tolist() == [2, 10, 2]


def test_ranges_of_dates_are_the_mean_of_their_days():
    encoder = shoal.LabelEncoder().fit(pa.table({"born": ["1970-01-02", "1970-01-04", "1970-03-01"]}))
    labels = ["[1970-01-01, 1970-01-31]", "{1970-01-02, 1970-03-01}", "[1971-01-01, 1971-01-03]"]
    assert encode(encoder, "born", labels) == [[2], [30], [366]]


def test_null_in_a_set_is_null():
    encoder = shoal.LabelEncoder().fit(pa.table({"age": [20, 40, None], "job": ["NULL", "cook", None]}))
    # As a number NULL is the mean of the others, 30.
    assert encode(encoder, "age", ["{20, NULL}", "{20, 40, NULL}"]) == [
        pytest.approx([25, 1 / 2]),
        pytest.approx([30, 1 / 3]),
    ]
    # Where NULL is a text of the column, that is in quotes.
    assert encode(encoder, "job", ['{"NULL", cook}', "{NULL, cook}"]) == [[0.5, 0.5, 0], [0, 0.5, 0.5]]
    # Where no value was NULL, the others are what is known.
    assert encode(shoal.LabelEncoder().fit(PEOPLE), "age", ["{21, 29, NULL}"]) == [[25]]


def test_a_release_of_mixed_labels_alone_is_enough():
    release = pa.table(
        {
            "age": ["22", "[20, 30)", "[40, 50]", "{22, NULL}", "*"],
            "born": ["[1970-01-01, 1970-01-05]", "1970-02-02", "1970", "1970s", "1970-02"],
            "word": ["NULL", "{NULL, a}", "a", "a", "a"],
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder = shoal.LabelEncoder().fit(release)
        found = encoder.transform(release)
    names = encoder.get_feature_names_out().tolist()
    assert names == ["age", "age is NULL", "born", "word=NULL", "word=a"]
    # The known ages are 22, the middle 45 and NULL; the known days are 2 and 32.
    assert found[:, :2].round(3).tolist() == [[22, 0], [22, 0], [45, 0], [27.75, 0.5], [33.5, 0.333]]
    assert found[:, 2].tolist() == [2, 32, 17, 17, 32]
    assert found[:, 3:].tolist() == [[1, 0], [0.5, 0.5], [0, 1], [0, 1], [0, 1]]


@pytest.mark.parametrize("form", ["nodes", "ranges", "sets"])
@pytest.mark.parametrize("recoding", ["mondrian", "cells"])
def test_releases_by_classes_become_the_means_of_their_labels(recoding, form):
    """By hand from the text of each label, over the original ages."""
    ages = [18, 20, 23, 27, 34, 48, 49, 54, 55, 60, 65, 66, None, None, None]
    people = pa.table({"age": ages, "sex": list("MMFMMFMFFMFMMFM")})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"}, privacy=[shoal.KAnonymity(3)]
    )
    release = shoal.anonymize(people, spec, recoding={recoding: {"labels": form}})
    known = [age for age in ages if age is not None]

    def covered(label: str | None) -> list[float]:
        numbers = [float(part) for part in re.findall("[0-9]+", label or "")]
        if label is None or label == "*":
            return known
        if label[0] == "[":
            last = numbers[1] - (label[-1] == ")")
            return [age for age in known if numbers[0] <= age <= last]
        return [*numbers, *([np.mean(known)] if "NULL" in label else [])]

    encoder = shoal.LabelEncoder(spec).fit(people)
    for label, found in zip(
        release.table["age"].to_pylist(), encoder.transform(release.table)[:, 0], strict=True
    ):
        assert found == pytest.approx(np.mean(covered(None if label is None else str(label))))


def test_numbers_that_are_categories():
    encoder = shoal.LabelEncoder(categorical=["age"]).fit(PEOPLE.select(["age"]))
    assert encoder.get_feature_names_out().tolist() == ["age=21", "age=22", "age=29", "age=35"]


def test_rare_categories_share_a_column():
    counts = np.array([1, 5, 3, 2])
    features = Features.of("town", Domain.of(pa.array(list("abcd"))), counts, most=3)
    assert features.names == ("town=b", "town=c", "town=other")
    encoder = shoal.LabelEncoder(most_categories=2).fit(PEOPLE)
    assert encoder.get_feature_names_out().tolist() == ["age", "job=cook", "job=other"]
    assert encode(encoder, "job", ["*", "judge"]) == [pytest.approx([1 / 3, 2 / 3]), [0, 1]]


def test_a_release_gives_its_hierarchies_and_its_rows():
    spec = shoal.Spec(
        quasi_identifiers={"job": shoal.taxonomy({"kitchen": ["cook"], "law": ["clerk", "judge"]})},
        privacy=shoal.KAnonymity(2),
    )
    release = shoal.anonymize(PEOPLE, spec, drop_undeclared=True)
    people = PEOPLE.select(["job"])
    encoder = shoal.LabelEncoder(release).fit(people)
    assert encoder.transform(release).sum(axis=0).tolist() == encoder.transform(people).sum(axis=0).tolist()
    assert (
        encoder.transform(release).tolist()
        == shoal.LabelEncoder(spec).fit(people).transform(release.table).tolist()
    )


def test_frames_of_any_kind():
    frame = PEOPLE.to_pandas()
    encoder = shoal.LabelEncoder().fit(frame)
    assert encoder.transform(frame).tolist() == encoder.transform(PEOPLE).tolist()


def test_in_a_pipeline_of_scikit_learn():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    table = pd.DataFrame({"age": [20, 25, 60, 65] * 5, "sex": ["F", "M"] * 10})
    old = [False, False, True, True] * 5
    model = make_pipeline(shoal.LabelEncoder(), LogisticRegression()).fit(table, old)
    labels = pd.DataFrame({"age": ["[20, 30)", "[60, 70)"], "sex": ["*", "*"]})
    assert model.predict(labels).tolist() == [False, True]
    copy = sklearn.base.clone(shoal.LabelEncoder(most_categories=7))
    assert copy.most_categories == 7
    assert repr(copy) == "LabelEncoder(most_categories=7)"


def test_bad_use_is_refused():
    with pytest.raises(shoal.InputError, match="is not fitted yet"):
        shoal.LabelEncoder().transform(PEOPLE)
    with pytest.raises(shoal.InputError, match="at least 2"):
        shoal.LabelEncoder(most_categories=1).fit(PEOPLE)
    with pytest.raises(shoal.InputError, match="no parameter 'most'"):
        shoal.LabelEncoder().set_params(most=3)
    with pytest.raises(shoal.InputError, match="'job'"):
        shoal.LabelEncoder().fit(PEOPLE).transform(PEOPLE.select(["age"]))
    with pytest.raises(shoal.InputError, match="Column 'job': intervals need numbers"):
        shoal.LabelEncoder({"job": shoal.intervals(5)}).fit(PEOPLE)


@given(st.lists(st.integers(-50, 150), min_size=1), st.integers(1, 40))
def test_intervals_are_means_of_their_distinct_values(ages, width):
    table = pa.table({"age": pa.array(ages, pa.int64())})
    labels = shoal.intervals(width).levels(pc_unique(table)).labels[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_form = shoal.LabelEncoder().fit(table).transform(pa.table({"age": labels})).ravel()
    by_level = shoal.LabelEncoder({"age": shoal.intervals(width)}).fit(table)
    assert by_level.transform(pa.table({"age": labels})).ravel() == pytest.approx(by_form)
    distinct = sorted(set(ages), key=ages.index)
    for value, found in zip(distinct, by_form, strict=True):
        alike = [age for age in distinct if age // width == value // width]
        assert found == pytest.approx(sum(alike) / len(alike))


def pc_unique(table: pa.Table) -> pa.Array:
    return table["age"].combine_chunks().unique()
