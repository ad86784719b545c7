"""A collection in PostgreSQL returns the same as one in a folder: rankings, probabilities, matches."""

import json

import pytest

import textkin as tk
from tests.collection.making import Letters, judged
from textkin.base.errors import UsageError, VerifyError
from textkin.collection.contents import repair

pytestmark = pytest.mark.slow

ENTRIES, QUERIES, QRELS = judged()
ASKED = list(QUERIES.values())[:20]


@pytest.fixture(scope="module")
def both(postgres, tmp_path_factory):
    """The same entries in a folder and in a database, calibrated."""
    places = tmp_path_factory.mktemp("both") / "c", postgres.address("both")
    opened = [tk.open_collection(place, model=Letters(), create=True) for place in places]
    for one in opened:
        one.add(ENTRIES)
        one.calibrate(QRELS, queries=QUERIES, k=5)
    yield opened
    for one in opened:
        one.close()


@pytest.mark.parametrize("mode", ["words", "vectors", "hybrid"])
def test_rankings_and_probabilities_are_the_same(both, mode):
    ours, theirs = (one.search(ASKED, k=12, mode=mode) for one in both)
    assert ours == theirs
    assert any(hit.probability for row in ours.hits for hit in row) == (mode == "hybrid")


def test_explanations_and_matches_are_the_same(both):
    ours, theirs = (one.explain(ASKED[0], [ENTRIES[0].text]) for one in both)
    assert ours == theirs
    options = dict(threshold=0.9)
    ours, theirs = (one.match(ASKED, **options) for one in both)
    assert ours.matches == theirs.matches
    for one in both:
        came = [tk.Entry("in1", "snow and ice in winter"), tk.Entry("in2", "snow and ice in winter")]
        found = one.match(came, add=True, **options)
        assert [match.verdict.value for match in found.matches][1] == "duplicate"
        assert one.remove(["in1", "in2"]) == 2


def test_an_account_of_it(both, postgres):
    account = tk.collection_info(postgres.address("both"))
    assert (account.entries, account.cache_bytes, account.dim) == (90, 0, 26)
    assert account.database_bytes > 0 and account.calibrated and account.passport is not None
    assert str(account.folder) == postgres.address("both") == str(account.rows()[0]["address"])
    with pytest.raises(UsageError) as error:
        repair(postgres.address("both"))
    assert error.value.params == ("repair",)
    with pytest.raises(UsageError) as error:
        tk.open_collection(postgres.address("both"), windows=64)
    assert error.value.params == ("windows",)


def test_a_model_is_checked_by_its_passport(postgres):
    with tk.open_collection(postgres.address("boxed"), create=True) as notes:
        notes.add(["Where can I park?", "When do you open?"])
    with tk.open_collection(postgres.address("boxed")) as notes:
        found = notes.search("car park", k=1)
        assert found.hits[0][0].text == "Where can I park?"
        assert notes.model.checked is not None
    with pytest.raises(VerifyError):
        tk.open_collection(postgres.address("boxed"), model=Letters())


def test_it_is_served_by_its_name(postgres, both):
    pytest.importorskip("orjson", reason="textkin[server] is not installed")
    from textkin.server.open_service import Served, open_service

    address = postgres.address("boxed")
    service = open_service(Served(models=("default",), collections=(address, f"mine={address}")))
    assert sorted(service.collections) == ["boxed", "mine"]
    service.close()


def test_what_is_written_of_an_address_has_no_password(both, postgres):
    from textkin.cli.output import jsonable

    given = postgres.address("both").replace("postgres@", "postgres:s3cret@")
    account = tk.collection_info(given)
    told = json.dumps(jsonable(account)) + repr(account) + str(account) + str(account.rows())
    assert "s3cret" not in told and "postgres@" in told
    with tk.open_collection(given, model=Letters()) as opened:
        assert "s3cret" not in repr(opened) + str(opened.folder) + str(vars(opened))


def test_groups_and_passport_are_the_same(both, postgres, tmp_path):
    ours, theirs = (tk.cluster(one, threshold=0.9) for one in both)
    assert ours.rows() == theirs.rows() and len(ours.rows()) == 90
    assert tk.cluster(postgres.address("both"), model=Letters(), threshold=0.9).rows() == ours.rows()
    with pytest.raises(UsageError) as error:
        tk.cluster(postgres.address("nothing"), threshold=0.9)
    assert error.value.params == ("collection",)
    with pytest.raises(UsageError) as error:
        tk.cluster(postgres.address("both"), threshold=0.9, gold=["a"])
    assert error.value.params == ("gold",)
