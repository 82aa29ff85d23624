"""Random changes of certificate.json and dictionary.json at any depth."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from forging.forgery import Forgery

NUMBERS = (0, 1, -1, 2, -5, 0.5, 2**31, 2**53 + 1, 2**62, 2**63, 2**64, 10**30, 1e308, -1e308)
TEXTS = (
    "",
    " ",
    "*",
    "Bob Smith has HIV",
    "1/5000",
    "1/3.0",
    "٣",
    "2^62",
    "\u200b",
    "exact",
    "generalized",
    "perturbed",
)
WORDS = ("quasi", "sensitive", "other", "identifier", "numeric", "categorical", "date", "ordered", "Date", "String")
WORDS += ("Int64", "Float64", "Boolean", "Time", "UInt8", "Int8", "Datetime(time_unit='us', time_zone=None)")
KEYS = (
    "comment",
    "names",
    "keep",
    "weight",
    "hierarchy",
    "found",
    "primary",
    "missing",
    "values",
    "min",
    "bound",
    "means",
)


def paths_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the paths of all parts of a document."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    found = [path] if path else []
    for key, part in items:
        found += paths_of(part, (*path, key))
    return found


def mutate_document(f: Forgery, which: str, rng: random.Random) -> str:
    """Change one part of a document: drop, add, rename, retype, repeat, reorder, or change a value."""
    document = getattr(f, which)
    path = rng.choice([path for path in paths_of(document) if path[0] != "files"])
    home, last = document, path[-1]
    for step in path[:-1]:
        home = home[step]
    change = rng.choice((_drop, _change, _change, _change, _change, _retype, _add, _rename, _repeat, _state_twice))
    return f"{'.'.join(map(str, path))}: {change(f, which, home, last, path, rng)}"


def _drop(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    del home[last]
    return "dropped"


def _change(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    """Change a value to another of its type; parts of an object are exchanged or reordered."""
    value = home[last]
    if isinstance(value, bool):
        home[last] = not value
    elif isinstance(value, (int, float)):
        home[last] = rng.choice((value + 1, value - 1, value * 2, -value, *NUMBERS))
    elif isinstance(value, str):
        home[last] = _change_text(value, f, which, rng)
    elif isinstance(value, list):
        how = rng.choice(("shuffle", "repeat", "cut", "append"))
        if how == "shuffle":
            rng.shuffle(value)
        elif how == "repeat" and value:
            value.append(rng.choice(value))
        elif how == "cut" and value:
            value.pop(rng.randrange(len(value)))
        else:
            value.append(rng.choice((*TEXTS, *NUMBERS, None)))
    elif isinstance(value, dict):
        value[rng.choice((*KEYS, "*", "[20, 30]", "age"))] = rng.choice((*TEXTS, *NUMBERS, ["20", "60"], ["Bern"], {}))
    else:
        home[last] = rng.choice((*TEXTS, *NUMBERS))
    return f"{str(value)[:60]} to {str(home[last])[:60]}"


def _change_text(value: str, f: Forgery, which: str, rng: random.Random) -> str:
    others = [str(part) for part in _values_of(getattr(f, which)) if isinstance(part, str)]
    return rng.choice(
        (
            value + rng.choice(("\u200b", " ", "x", "\u00ad", ".0")),
            value.upper(),
            value[:-1],
            rng.choice(others),
            rng.choice(others),
            rng.choice(WORDS),
            rng.choice(TEXTS),
            re.sub(r"\d", lambda digit: chr(0x660 + int(digit[0])), value),
            re.sub(r"\d+", lambda digits: str(int(digits[0]) + 1), value, count=1),
        )
    )


def _values_of(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return [value for part in document.values() for value in _values_of(part)]
    if isinstance(document, list):
        return [value for part in document for value in _values_of(part)]
    return [document]


def _retype(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    value = home[last]
    choices: list[Any] = [str(value), None, [value], {"x": value}, True, 1, 1.0, json.dumps(value)]
    if isinstance(value, int):
        choices += [float(value), bool(value)]
    if isinstance(value, list):
        choices += [{str(number): item for number, item in enumerate(value)}, *value[:1]]
    home[last] = rng.choice(choices)
    return f"now {str(home[last])[:60]}"


def _add(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    value = rng.choice((*TEXTS, *NUMBERS, True, None, [], {}, ["20", "60"], {"Bern": ["Bern", "Lyon"]}))
    if isinstance(home, list):
        home.insert(rng.randrange(len(home) + 1), value)
        return f"inserted {value!r}"
    key = rng.choice((*KEYS, str(last) + " ", str(last).upper()))
    home[key] = value
    return f"beside it {key}: {value!r}"


def _rename(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    if isinstance(home, list):
        rng.shuffle(home)
        return "shuffled"
    key = rng.choice((*KEYS, str(last) + "\u200b", str(last).upper()))
    home[key] = home.pop(last)
    return f"renamed {key}"


def _repeat(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    if isinstance(home, list):
        home.append(home[last])
        return "repeated"
    home[last] = [home[last], home[last]]
    return "listed twice"


def _state_twice(f: Forgery, which: str, home: Any, last: Any, path: Any, rng: random.Random) -> str:
    """State a key twice with different values, which no JSON library writes."""
    if isinstance(home, list):
        return _repeat(f, which, home, last, path, rng)
    mark, other = f"twice {rng.random()}", rng.choice((*TEXTS, *NUMBERS, None))
    before = getattr(f, which + "_text")
    home[mark] = other
    setattr(f, which + "_text", lambda text: str(before(text)).replace(json.dumps(mark), json.dumps(last)))
    return f"stated twice, {other!r}"


def restate_claim(f: Forgery, rng: random.Random) -> str:
    """State a claim of another strength in all its words."""
    claim = rng.choice(f.claims)
    letters = [letter for letter in ("k", "l", "m", "r") if isinstance(claim["parameters"].get(letter), int)]
    letter = rng.choice(letters)
    old = claim["parameters"][letter]
    new = rng.choice((2, 3, 4, 5, 6, 10, 5000, 2**31, 2**53 + 1, 2**62, 2**63))
    claim["parameters"][letter] = new
    claim["bound"] = f"1/{new}" if claim["bound"] == f"1/{old}" else claim["bound"]
    claim["promise"] = re.sub(rf"1/{old}\b", f"1/{new}", claim["promise"])
    claim["promise"] = re.sub(rf"at least {old - 1}\b", f"at least {new - 1}", claim["promise"])
    claim["promise"] = re.sub(rf"at least {old} values", f"at least {new} values", claim["promise"])
    return f"{letter} = {new}"
