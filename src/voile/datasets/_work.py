"""Occupations and classes of work behind the synthetic census, as plain constants."""

from typing import NamedTuple

# What each class of work adds to pay, in log points.
WORK_CLASSES = {
    "Private company": 0.0,
    "Private non-profit": -0.06,
    "Local government": 0.02,
    "State government": 0.0,
    "Federal government": 0.10,
    "Self-employed incorporated": 0.22,
    "Self-employed": -0.10,
    "Unpaid family worker": -1.0,
}

# Weights of the classes above, by kind of employer.
EMPLOYERS = {
    "company": (86, 3, 2, 2, 1, 3, 3, 0.2),
    "trade": (68, 1, 4, 2, 1, 7, 17, 0.4),
    "shop": (76, 1, 1, 1, 0.5, 8, 11, 1.2),
    "care": (58, 24, 6, 6, 3, 1, 2, 0.1),
    "practice": (46, 8, 3, 4, 2, 16, 21, 0.2),
    "school": (12, 12, 56, 18, 1, 0.3, 0.8, 0.1),
    "academy": (14, 22, 4, 56, 3, 0.4, 0.6, 0.1),
    "public": (8, 7, 38, 32, 14, 0.3, 0.6, 0.1),
    "federal": (6, 2, 3, 4, 84, 0.3, 0.6, 0.1),
    "farm": (38, 1, 1, 1, 1, 9, 44, 5.0),
    "charity": (8, 74, 3, 3, 2, 2, 8, 0.3),
}


class Occupation(NamedTuple):
    """An occupation: weight, usual rank and spread of schooling, share of women, share of the young, pay, employer.

    Schooling counts from 0 (none) to 16 (doctorate); `young` above 1 draws those under 25; pay is in log points.
    """

    weight: float
    schooling: float
    spread: float
    women: float
    young: float
    pay: float
    employer: str


OCCUPATIONS = {
    "Accountant": Occupation(2.2, 13, 1.2, 0.60, 0.3, 0.30, "practice"),
    "Actor or musician": Occupation(0.4, 12, 2.5, 0.42, 1.0, -0.15, "practice"),
    "Architect": Occupation(0.8, 14, 1.0, 0.22, 0.1, 0.40, "practice"),
    "Assembler": Occupation(2.4, 7, 2.5, 0.40, 1.0, -0.10, "company"),
    "Bank teller": Occupation(0.9, 9.5, 2.0, 0.88, 1.6, -0.15, "company"),
    "Bartender or waiter": Occupation(2.4, 9, 2.5, 0.70, 3.0, -0.55, "shop"),
    "Bookkeeper": Occupation(2.0, 10.5, 2.0, 0.90, 0.4, 0.00, "company"),
    "Bus driver": Occupation(0.7, 8, 2.2, 0.48, 0.2, -0.10, "school"),
    "Butcher or baker": Occupation(0.6, 7, 2.5, 0.35, 1.2, -0.20, "shop"),
    "Carpenter": Occupation(1.8, 7.5, 2.2, 0.03, 1.1, 0.05, "trade"),
    "Cashier": Occupation(2.6, 7.5, 2.5, 0.76, 3.2, -0.55, "shop"),
    "Chief executive": Occupation(1.1, 13.5, 1.8, 0.22, 0.1, 0.90, "practice"),
    "Childcare worker": Occupation(1.8, 9.5, 2.8, 0.95, 1.6, -0.60, "care"),
    "Civil engineer": Occupation(0.7, 13.5, 1.0, 0.12, 0.3, 0.50, "public"),
    "Clergy": Occupation(0.5, 14.5, 1.5, 0.16, 0.1, -0.05, "charity"),
    "Construction labourer": Occupation(2.2, 5.5, 3.0, 0.04, 1.6, -0.10, "trade"),
    "Cook": Occupation(2.4, 6, 3.0, 0.42, 2.0, -0.45, "shop"),
    "Customer service clerk": Occupation(2.6, 10, 2.0, 0.70, 1.8, -0.10, "company"),
    "Dentist": Occupation(1.2, 15, 0.4, 0.22, 0.0, 0.95, "practice"),
    "Electrician": Occupation(1.2, 9, 1.8, 0.03, 0.8, 0.25, "trade"),
    "Factory supervisor": Occupation(1.4, 9, 2.2, 0.20, 0.3, 0.30, "company"),
    "Farmer": Occupation(1.2, 8.5, 2.8, 0.20, 0.4, -0.20, "farm"),
    "Farm labourer": Occupation(1.1, 3, 2.8, 0.22, 1.8, -0.50, "farm"),
    "Firefighter": Occupation(0.6, 10.5, 1.5, 0.05, 0.5, 0.40, "public"),
    "Freight handler": Occupation(2.6, 7, 2.4, 0.18, 2.2, -0.25, "company"),
    "Gardener": Occupation(1.2, 5.5, 3.0, 0.08, 1.5, -0.35, "trade"),
    "Hairdresser": Occupation(1.1, 9, 1.8, 0.88, 1.0, -0.35, "practice"),
    "Housekeeper": Occupation(2.0, 4.5, 3.0, 0.88, 0.9, -0.55, "shop"),
    "Insurance agent": Occupation(1.0, 12, 1.8, 0.46, 0.5, 0.25, "practice"),
    "Janitor": Occupation(2.4, 6, 2.8, 0.30, 1.1, -0.30, "public"),
    "Lawyer": Occupation(5.0, 15, 0.4, 0.30, 0.0, 0.85, "practice"),
    "Librarian": Occupation(0.4, 14, 1.0, 0.83, 0.4, 0.00, "school"),
    "Machinist": Occupation(1.6, 8, 2.0, 0.10, 0.8, 0.15, "company"),
    "Manager": Occupation(4.2, 12.5, 2.0, 0.40, 0.3, 0.50, "company"),
    "Mechanic": Occupation(2.2, 8, 2.0, 0.03, 1.1, 0.10, "trade"),
    "Nursing aide": Occupation(2.2, 8.5, 2.2, 0.89, 1.2, -0.30, "care"),
    "Painter": Occupation(0.8, 6, 2.8, 0.10, 1.2, -0.15, "trade"),
    "Physician": Occupation(5.0, 15.3, 0.5, 0.30, 0.0, 1.10, "practice"),
    "Plumber": Occupation(0.8, 8.5, 1.8, 0.02, 0.9, 0.25, "trade"),
    "Police officer": Occupation(1.0, 11.5, 1.6, 0.14, 0.5, 0.40, "public"),
    "Postal worker": Occupation(0.8, 10, 1.8, 0.40, 0.3, 0.30, "federal"),
    "Registered nurse": Occupation(2.4, 13, 0.9, 0.92, 0.3, 0.35, "care"),
    "Sales representative": Occupation(3.4, 11.5, 2.2, 0.38, 0.8, 0.25, "company"),
    "Secretary": Occupation(3.4, 10, 1.9, 0.96, 0.7, -0.10, "company"),
    "Shop assistant": Occupation(3.2, 9, 2.4, 0.55, 2.6, -0.40, "shop"),
    "Social worker": Occupation(0.9, 13.5, 1.2, 0.78, 0.4, 0.00, "public"),
    "Software developer": Occupation(2.0, 13.3, 1.3, 0.26, 0.7, 0.55, "company"),
    "Teacher": Occupation(4.0, 13.7, 0.8, 0.74, 0.3, 0.10, "school"),
    "Truck driver": Occupation(2.8, 7.5, 2.2, 0.06, 0.7, 0.10, "trade"),
    "University lecturer": Occupation(2.6, 15, 1.2, 0.42, 0.3, 0.40, "academy"),
}
