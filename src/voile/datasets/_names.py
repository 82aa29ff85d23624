"""Names and rough weights behind the synthetic census, as plain constants."""

from typing import NamedTuple

GENDERS = ("Male", "Female")

# Weights are those of adults old enough to have finished any degree; order is from least to most schooling.
EDUCATIONS = {
    "No schooling": 0.9,
    "Nursery to grade 4": 0.6,
    "Grade 5 or 6": 1.4,
    "Grade 7 or 8": 2.2,
    "Grade 9": 1.8,
    "Grade 10": 2.4,
    "Grade 11": 2.8,
    "Grade 12 without diploma": 3.0,
    "High school diploma": 26.0,
    "Equivalency certificate": 4.0,
    "College under one year": 7.0,
    "College one year or more": 14.0,
    "Associate degree": 8.0,
    "Bachelor degree": 17.0,
    "Master degree": 7.0,
    "Professional degree": 2.0,
    "Doctorate": 1.2,
}

# What each status adds to pay, in log points.
MARITAL = {
    "Never married": -0.14,
    "Married": 0.06,
    "Married spouse absent": -0.06,
    "Separated": -0.08,
    "Divorced": 0.0,
    "Widowed": -0.04,
}

RACES = (
    "White",
    "Black",
    "American Indian or Alaska Native",
    "Chinese",
    "Japanese",
    "Other Asian or Pacific Islander",
    "Other race",
    "Two races",
    "Three or more races",
)


class Group(NamedTuple):
    """Traits that places of birth share: weights of the races, and a tilt of schooling (above 0: longer)."""

    races: tuple[float, ...]
    schooling: float


GROUPS = {
    "north": Group((86, 9, 0.4, 0.3, 0.1, 0.5, 1.5, 1.6, 0.15), 0.10),
    "south": Group((72, 24, 0.6, 0.1, 0.1, 0.4, 1.2, 1.4, 0.12), -0.10),
    "plains": Group((92, 2, 2.6, 0.1, 0.1, 0.3, 1.0, 1.5, 0.10), 0.08),
    "west": Group((80, 4, 2.4, 1.2, 0.8, 1.6, 6.0, 3.2, 0.40), 0.08),
    "pacific": Group((22, 1, 0.4, 5.0, 22, 32, 0.8, 11, 5.5), 0.05),
    "europe": Group((96, 1.2, 0.1, 0.1, 0.1, 0.4, 0.8, 1.3, 0.05), 0.15),
    "latin": Group((47, 2, 1.2, 0.1, 0.1, 0.2, 43, 5.5, 0.30), -0.75),
    "caribbean": Group((24, 60, 0.3, 0.3, 0.1, 1.2, 9, 5.0, 0.40), -0.25),
    "china": Group((1.5, 0.1, 0.1, 95, 0.2, 2.2, 0.1, 0.8, 0.05), 0.40),
    "japan": Group((9, 1.0, 0.1, 0.6, 83, 2.0, 0.2, 3.8, 0.20), 0.45),
    "asia": Group((4, 0.4, 0.1, 5.0, 0.2, 85, 1.2, 3.8, 0.20), 0.35),
    "mideast": Group((82, 1.0, 0.1, 0.1, 0.1, 5.0, 3.0, 8.5, 0.20), 0.30),
    "africa": Group((15, 78, 0.2, 0.1, 0.1, 1.8, 1.0, 3.6, 0.20), 0.35),
}


class Place(NamedTuple):
    """A place of birth: its weight and its group."""

    weight: float
    group: str


STATE_PLACES = {
    "New England": Place(48, "north"),
    "New York": Place(72, "north"),
    "New Jersey": Place(28, "north"),
    "Pennsylvania": Place(58, "north"),
    "Ohio": Place(52, "north"),
    "Michigan": Place(43, "north"),
    "Indiana": Place(25, "north"),
    "Illinois": Place(52, "north"),
    "Wisconsin": Place(24, "plains"),
    "Minnesota": Place(21, "plains"),
    "Iowa and Nebraska": Place(23, "plains"),
    "Dakotas and Montana": Place(12, "plains"),
    "Missouri and Kansas": Place(38, "plains"),
    "Maryland and Delaware": Place(18, "south"),
    "Virginias": Place(32, "south"),
    "Carolinas": Place(40, "south"),
    "Georgia": Place(25, "south"),
    "Florida": Place(26, "south"),
    "Kentucky and Tennessee": Place(41, "south"),
    "Alabama and Mississippi": Place(34, "south"),
    "Louisiana and Arkansas": Place(31, "south"),
    "Oklahoma": Place(14, "west"),
    "Texas": Place(62, "south"),
    "Mountain states": Place(29, "west"),
    "Pacific Northwest": Place(24, "west"),
    "California": Place(70, "west"),
    "Hawaii and Pacific islands": Place(4.0, "pacific"),
}

OTHER_PLACES = {
    "Mexico": Place(46, "latin"),
    "Philippines": Place(8.5, "asia"),
    "India": Place(7.6, "asia"),
    "China": Place(7.0, "china"),
    "Vietnam": Place(6.0, "asia"),
    "Puerto Rico": Place(6.4, "latin"),
    "El Salvador": Place(5.2, "latin"),
    "Korea": Place(4.8, "asia"),
    "Cuba": Place(4.6, "latin"),
    "Germany": Place(4.4, "europe"),
    "Canada": Place(4.2, "europe"),
    "Dominican Republic": Place(3.8, "caribbean"),
    "United Kingdom": Place(3.6, "europe"),
    "Guatemala": Place(3.4, "latin"),
    "Jamaica": Place(3.2, "caribbean"),
    "Colombia": Place(2.8, "latin"),
    "Haiti": Place(2.6, "caribbean"),
    "Italy": Place(2.4, "europe"),
    "Poland": Place(2.2, "europe"),
    "Japan": Place(2.0, "japan"),
    "Iran": Place(1.7, "mideast"),
    "Taiwan": Place(1.6, "china"),
    "Russia": Place(1.5, "europe"),
    "Brazil": Place(1.3, "latin"),
    "Nigeria": Place(1.1, "africa"),
    "Portugal": Place(0.9, "europe"),
    "Greece": Place(0.8, "europe"),
    "Lebanon": Place(0.7, "mideast"),
    "Ethiopia": Place(0.6, "africa"),
    "Ghana": Place(0.5, "africa"),
}

PLACES = STATE_PLACES | OTHER_PLACES
