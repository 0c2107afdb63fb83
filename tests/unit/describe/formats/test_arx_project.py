"""ARX's projects: what is read, what is listed as not, and what is refused."""

import io
import zipfile

import pytest

import shoal
from shoal.describe.formats.arx_project import parse_xml, read_project
from shoal.errors import InputError, OutputError
from shoal.spec.arx_import import import_arx_project

PEOPLE = [("34", "F"), ("37", "F"), ("NULL", "M"), ("51", "M")] * 3
DATA = "id;age;sex;disease;note\n" + "".join(
    f"{number};{age};{sex};{'flu' if number % 3 else 'cold'};x\n" for number, (age, sex) in enumerate(PEOPLE)
)
PROJECT = """<project>
\t<name>Test</name>
\t<separator>;</separator>
\t<escape>&quot;</escape>
\t<quote>&quot;</quote>
\t<linebreak>UNIX</linebreak>
</project>
"""
COLUMN = """\t<assigment>
\t\t<name>{}</name>
\t\t<type>{}_ATTRIBUTE</type>
\t\t<datatype>{}</datatype>
{}\t</assigment>
"""
REF = "\t\t<ref>hierarchies/{}.csv</ref>\n\t\t<min>{}</min>\n\t\t<max>{}</max>\n"
DEFINITION = (
    "<definition>\n"
    + COLUMN.format("id", "IDENTIFYING", "String", "")
    + COLUMN.format("age", "QUASI_IDENTIFYING", "Integer", REF.format("age", "1", "All"))
    + COLUMN.format("sex", "QUASI_IDENTIFYING", "String", REF.format("sex", "All", "1"))
    + COLUMN.format("disease", "SENSITIVE", "String", "")
    + COLUMN.format("note", "INSENSITIVE", "String", "")
    + "</definition>\n"
)
CONFIG = """<config>
\t<suppressTuplesInNonAnonymousOutput>true</suppressTuplesInNonAnonymousOutput>
\t<suppressedAttributeTypes>
\t\t<type>QUASI_IDENTIFYING_ATTRIBUTE</type>
\t</suppressedAttributeTypes>
\t<practicalMonotonicity>false</practicalMonotonicity>
\t<relativeMaxOutliers>0.04</relativeMaxOutliers>
\t<metric>Loss (0.5/1.0/1.0)</metric>
\t<attributeWeights>
\t\t<attributeWeight>
\t\t\t<attribute>age</attribute>
\t\t\t<weight>0.75</weight>
\t\t</attributeWeight>
\t</attributeWeights>
\t<criteria>
\t\t<criterion>2-anonymity</criterion>
\t\t<criterion>distinct-2-diversity for attribute &apos;disease&apos;</criterion>
\t\t<criterion>(0.05,0.15)-presence</criterion>
\t</criteria>
</config>
"""
MEMBERS = {
    "metadata.xml": "<metadata><version>3.9.1</version><vocabulary>2.0</vocabulary></metadata>",
    "project.xml": PROJECT,
    "data/input.csv": DATA,
    "input/definition.xml": DEFINITION,
    "input/config.xml": CONFIG,
    "input/config.dat": b"\xac\xed\x00\x05",
    "input/hierarchies/age.csv": "34;30s;*\n37;30s;*\n51;50s;*\nNULL;NULL;*\n",
    "input/hierarchies/sex.csv": "F;*\nM;*\n",
    "lattice.xml": "<lattice/>",
}


@pytest.fixture
def project(tmp_path):
    def project(**changes):
        members = {**MEMBERS, **{name.replace("__", "/"): content for name, content in changes.items()}}
        path = tmp_path / "study.deid"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                if content is not None:
                    archive.writestr(name, content)
        return path

    return project


def changed(member, old, new):
    assert old in MEMBERS[member]
    return {member: MEMBERS[member].replace(old, new)}


def test_a_project_becomes_a_spec_that_runs(project, tmp_path):
    imported = import_arx_project(project(), tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "data.csv",
        "data_hierarchy_age.csv",
        "data_hierarchy_sex.csv",
        "spec.yaml",
    ]
    spec = shoal.Spec.from_yaml(imported.spec)
    assert {name: role.value for name, role in spec.roles.items()} == {
        "id": "identifier",
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "disease": "sensitive",
        "note": "insensitive",
    }
    assert spec.privacy == (shoal.KAnonymity(2), shoal.LDiversity("disease", l=2))
    assert spec.suppression == 0.04
    assert spec.quality == shoal.Loss()
    assert spec.quasi_identifiers["age"].weight == 0.75
    assert spec.quasi_identifiers["age"].min_level == 1
    assert spec.quasi_identifiers["sex"].max_level == 1
    release = shoal.anonymize(imported.data, spec)
    assert release.levels == {"age": 1, "sex": 0}
    # NULL is what ARX takes for missing.
    assert release.data["age"].null_count == 3


def test_what_is_not_read_is_listed_with_the_reason(project, tmp_path):
    imported = import_arx_project(project(), tmp_path / "out")
    assert imported.unread == (
        "the criterion '(0.05,0.15)-presence': the research subset is not stated as text; delta-presence "
        "needs a file of the population",
        "the measure 'Loss (0.5/1.0/1.0)': the aggregation over columns is not stated; Shoal uses the mean",
        "input/config.dat: only Java can read them",
        "lattice.xml: results and views of ARX",
    )
    for each in imported.unread:
        assert each[:60] in imported.spec.read_text(encoding="utf-8")
    assert "the suppression limit 0.04" in imported.read
    assert "the hierarchies of 'age', 'sex'" in imported.read


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("5-anonymity", {"k-anonymity": 5}),
        ("(5)-anonymity", {"k-anonymity": 5}),
        ("distinct-3-diversity for attribute 'disease'", {"l-diversity": {"column": "disease", "l": 3}}),
        (
            "shannon-entropy-3.5-diversity for attribute 'disease'",
            {"l-diversity": {"column": "disease", "l": 3.5, "kind": "entropy"}},
        ),
        (
            "recursive-(4.0,3)-diversity for attribute 'disease'",
            {"l-diversity": {"column": "disease", "l": 3, "kind": "recursive", "c": 4}},
        ),
        (
            "0.2-closeness with equal ground-distance for attribute 'disease'",
            {"t-closeness": {"column": "disease", "t": 0.2}},
        ),
        (
            "0.2-closeness with ordered distance for attribute 'disease'",
            {"t-closeness": {"column": "disease", "t": 0.2, "distance": "ordered"}},
        ),
        (
            "basic-1.5-likeness for attribute 'disease'",
            {"beta-likeness": {"column": "disease", "beta": 1.5, "kind": "basic"}},
        ),
        ("(0.2)-avg-reidentification-risk", {"risk": {"average": 0.2}}),
    ],
)
def test_criteria(project, text, model):
    read = read_project(
        project(input__config__xml=None, **{"input/config.xml": CONFIG.replace("2-anonymity", text)})
    )
    assert model in read.spec["privacy"]


@pytest.mark.parametrize(
    "text",
    [
        "0.2-closeness with equal ground-distance for attribute 'age'",
        "0-anonymity",
        "grassberger-entropy-3-diversity for attribute 'disease'",
        "1.0-disclosure privacy for attribute 'disease'",
        "(5)-map",
        "(0.1, 0.2, 0.3)-avg-reidentification-risk",
        "something new",
        "",
    ],
)
def test_criteria_that_are_listed(project, text):
    read = read_project(project(**changed("input/config.xml", "2-anonymity", text)))
    assert [model for model in read.spec["privacy"] if "k-anonymity" in model] == []
    assert any(f"the criterion {text!r}: " in each for each in read.unread)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Height", "height"),
        ("Monotonic discernability (DM*)", "discernability-monotone"),
        ("Non-monotonic discernability", "discernability"),
        ("Average equivalence class size", "average-class-size"),
        ("Non-uniform entropy", "entropy"),
        ("Loss (0.3/0.6/1.0)", "loss"),
        ("Publisher payout", "loss"),
    ],
)
def test_measures(project, text, name):
    read = read_project(project(**changed("input/config.xml", "Loss (0.5/1.0/1.0)", text)))
    assert read.spec["quality"] == name
    listed = any(f"the measure {text!r}" in each for each in read.unread)
    assert listed == (name == "loss")


def test_types_of_sensitive_columns(project):
    read = read_project(
        project(
            **changed(
                "input/definition.xml",
                "<datatype>String</datatype>\n\t</assigment>\n\t<assigment>\n\t\t<name>note",
                "<datatype>Date</datatype>\n\t\t<format>dd.MM.yyyy</format>\n\t</assigment>\n\t<assigment>\n\t\t<name>note",
            )
        )
    )
    assert read.spec["columns"]["disease"]["type"] == {"date": "%d.%m.%Y"}


@pytest.mark.parametrize(
    ("changes", "listed"),
    [
        ({"data/input.csv": None}, "the table: the project has none"),
        ({"input/hierarchies/age.csv": None}, "the hierarchy of 'age': the project lacks its file"),
        ({"input/config.xml": None}, "the privacy models of the release"),
        (changed("input/config.xml", "0.04", "many"), "the suppression limit 'many'"),
        (changed("input/config.xml", "0.75", "-1"), "the weight '-1' of 'age'"),
        (changed("project.xml", "<separator>;", "<separator>||"), "the delimiter '||'"),
        (changed("input/definition.xml", "<min>1<", "<min>low<"), "the min level of 'age'"),
        (changed("input/definition.xml", ">note<", ">age<"), "the column 'age': it is listed twice"),
        (changed("input/definition.xml", "INSENSITIVE", "STRANGE"), "the column 'note'"),
    ],
)
def test_what_is_missing_or_strange_is_listed(project, changes, listed):
    assert any(listed in each for each in read_project(project(**changes)).unread)


def test_a_broken_hierarchy_is_written_and_named(project, tmp_path):
    path = project(**{"input/hierarchies/age.csv": "34;30s;x\n37;30s;y\n"})
    imported = import_arx_project(path, tmp_path / "out")
    assert any("cannot be used" in each and "'30s' under 'x' and 'y'" in each for each in imported.unread)


def test_columns_that_are_no_file_names(project, tmp_path):
    definition = DEFINITION.replace("<name>age<", "<name>a/b<").replace("hierarchies/age", "hierarchies/a/b")
    path = project(
        **{
            "input/definition.xml": definition,
            "input/hierarchies/a/b.csv": MEMBERS["input/hierarchies/age.csv"],
        }
    )
    imported = import_arx_project(path, tmp_path / "out")
    assert imported.hierarchies["a/b"].name == "data_hierarchy_a_b.csv"


def test_files_that_are_there_stay(project, tmp_path):
    out = tmp_path / "out"
    import_arx_project(project(), out)
    (out / "spec.yaml").write_text("mine")
    with pytest.raises(OutputError, match="--force"):
        import_arx_project(project(), out)
    assert (out / "spec.yaml").read_text() == "mine"
    import_arx_project(project(), out, force=True)
    assert (out / "spec.yaml").read_text() != "mine"


ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><config>&b;</config>'


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input/config.xml": ENTITIES}, "has a DTD"),
        ({"input/config.xml": "<a>" * 100 + "</a>" * 100}, "nested too deep"),
        (
            {"input/config.xml": "<config>"},
            "'input/config.xml' of file 'study.deid' is not valid XML in line 1",
        ),
        ({"input/config.xml": '<?xml version="1.0" encoding="nope"?><a/>'}, "not valid XML"),
        ({"input/config.xml": b"\xff\xfe\x00"}, "not valid XML"),
        ({"input/definition.xml": None}, "no 'input/definition.xml'"),
        ({"input/definition.xml": "<definition/>"}, "no columns"),
        ({"../evil.csv": "x"}, "leads out of its folder"),
        ({"/etc/evil": "x"}, "leads out of its folder"),
        ({"C:\\evil": "x"}, "leads out of its folder"),
        ({"bomb.csv": b"0" * (1 << 25)}, "would grow to 32 MB"),
    ],
)
def test_what_is_not_safe_is_refused(project, tmp_path, changes, message):
    path = project(**changes)
    with pytest.raises(InputError, match=message):
        import_arx_project(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_that_are_no_project(tmp_path):
    path = tmp_path / "x.deid"
    with pytest.raises(InputError, match="does not exist"):
        read_project(path)
    for content in (b"", b"PK\x03\x04", b"hello"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a complete ZIP file"):
            read_project(path)


def test_damaged_and_encrypted_members(project, tmp_path):
    whole = project().read_bytes()
    path = tmp_path / "x.deid"
    start = whole.index(b"data/input.csv") + 30
    path.write_bytes(whole[:start] + b"\xff" * 20 + whole[start + 20 :])
    with pytest.raises(InputError, match="not a complete ZIP file"):
        import_arx_project(path, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_members_without_a_name(project):
    path = project()
    nameless = zipfile.ZipInfo("x")
    nameless.filename = ""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("folder/", "")
        archive.writestr(nameless, "")
    assert read_project(path).has_data


def test_packed_in_another_way(project, tmp_path):
    path = tmp_path / "x.deid"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("input/definition.xml", DEFINITION)
    with pytest.raises(InputError, match="packed in a way"):
        read_project(path)


def test_names_that_are_no_text(project, tmp_path):
    whole = project().read_bytes()
    path = tmp_path / "x.deid"
    header = whole.index(b"project.xml")
    flagged = bytearray(whole)
    flagged[header - 24 + 1] |= 0x08  # it says that its name is UTF-8
    flagged[header] = 0xE0
    path.write_bytes(flagged)
    with pytest.raises(InputError, match="not a complete ZIP file"):
        read_project(path)


def test_xml_that_ends_early():
    with pytest.raises(InputError):
        parse_xml(b"", "The text")
    with pytest.raises(InputError):
        parse_xml(io.BytesIO(b"<a><b></a>").read(), "The text")
