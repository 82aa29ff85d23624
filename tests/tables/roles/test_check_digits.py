"""Numbers of people by pattern and check digit: published examples pass, neighbours fail."""

from __future__ import annotations

import pytest

from voile.tables.roles.check_digits import PERSONAL

EXAMPLES = {  # made-up or published specimen numbers
    "IBANs": ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"),
    "German tax numbers": ("86095742719", "86095742718"),
    "Dutch BSNs": ("111222333", "111222334"),
    "French social security numbers": ("2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
    "US social security numbers": ("219-09-9999", "666-09-9999"),
    "NHS numbers": ("943 476 5919", "943 476 5918"),
    "British insurance numbers": ("AB123456C", "DQ123456C"),
    "Swedish personal numbers": ("811218-9876", "811218-9875"),
    "Italian fiscal codes": ("RSSMRA85T10A562S", "RSSMRA85T10A562T"),
    "Spanish DNIs": ("12345678Z", "12345678A"),
    "Polish PESELs": ("44051401359", "44051401358"),
    "payment cards": ("4111 1111 1111 1111", "4111 1111 1111 1112"),
    "e-mail addresses": ("ann@example.org", "ann at example"),
    "telephone numbers": ("+44 20 7946 0958", "2024"),
    "IP addresses": ("192.168.10.1", "192.168"),
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_specimen_passes_and_a_wrong_digit_does_not(kind: str) -> None:
    good, bad = EXAMPLES[kind]
    assert PERSONAL[kind](good)
    assert not PERSONAL[kind](bad)
