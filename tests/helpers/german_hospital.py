"""A messy table of a German hospital, made up: semicolons, cp1252, German dates and amounts, free text, several visits
of a patient."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

_GIVEN = "Hans Jürgen Günter Ursula Petra Sabine Björn Käthe Monika Uwe Heike Jörg Anja Thorsten Lena Finn Mia Emilia".split()
_FAMILY = "Müller Schmidt Schäfer Krüger Weiß Bauer Koch Vogel Böhm Jäger Groß Huber Özdemir Nowak Richter Kühn".split()
_CODES = "I10 I21.0 E11.9 J18.9 C50.4 F32.1 K35.8 M54.5 N39.0 S72.0 A09.9 Z38.0 G40.2 H25.1 O80".split()
_NOTES = (
    "Patient klagt über Schmerzen in der Brust, Überweisung an {}.",
    "Frau {} wünscht Rückruf; Befund unauffällig, Größe {} cm.",
    "Entlassung nach Hause, Kontrolle bei Dr. {} in zwei Wochen.",
    "Zustand nach Sturz, wohnt bei Familie {}, Pflegegrad beantragt.",
)


def write_hospital(path: Path, visits: int = 903, seed: int = 7) -> Path:
    """Write the table as a hospital's system would export it."""
    draw = random.Random(seed)
    patients = [
        (
            f"{draw.choice(_FAMILY)}, {draw.choice(_GIVEN)}",
            datetime.date(1925, 1, 1) + datetime.timedelta(days=draw.randrange(34_000)),
            draw.choice("mw"),
            f"{draw.choice((10, 12, 20, 80))}{draw.randrange(100, 130)}",
        )
        for _ in range(round(visits * 0.69))
    ]
    lines = ["PatNr;Name;Geburtsdatum;Geschlecht;PLZ;Aufnahme;Diagnose;Kosten;CRP;Größe;Telefon;Bemerkung"]
    for _ in range(visits):
        number = draw.randrange(len(patients))
        name, birth, sex, postcode = patients[number]
        seen = datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randrange(366))
        euros, cents = divmod(draw.randrange(50_00, 9_876_00), 100)
        note = draw.choice(_NOTES).format(draw.choice(_FAMILY), draw.randrange(150, 200))
        lines.append(
            f"{700_000 + number};{name};{birth:%d.%m.%Y};{sex.upper() if draw.random() < 0.8 else sex};{postcode};"
            f"{seen:%d.%m.%Y};{draw.choice(_CODES)};{f'{euros:,}'.replace(',', '.')},{cents:02} €;"
            f"{draw.randrange(90)},{draw.randrange(10)};1,{draw.randrange(50, 99)};0{draw.randrange(30, 90)}/{draw.randrange(100_000, 999_999)};\"{note}\""
        )
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return path

