import hashlib

import pytest

from gamut_eval.hashing import canonical, sha256


def test_canonical_json_does_not_depend_on_the_order_of_keys():
    assert canonical({"b": [1, {"z": None, "a": 0.5}], "a": "é"}) == canonical(
        {"a": "é", "b": [1, {"a": 0.5, "z": None}]}
    )


@pytest.mark.parametrize(
    ("value", "hashed"),
    [
        ("naïve 日本", "naïve 日本".encode()),
        (b"\x00\xff", b"\x00\xff"),
        ({"b": 1, "a": "é"}, '{"a":"é","b":1}'.encode()),
        ([1, None, True, 0.5], b"[1,null,true,0.5]"),
    ],
)
def test_sha256_is_over_the_bytes_of_texts_and_the_canonical_json_of_the_rest(value, hashed):
    assert sha256(value) == hashlib.sha256(hashed).hexdigest()


def test_a_list_and_its_parts_run_together_hash_differently():
    assert len({sha256(["ab", "c"]), sha256(["a", "bc"]), sha256(["abc"]), sha256("abc")}) == 4
