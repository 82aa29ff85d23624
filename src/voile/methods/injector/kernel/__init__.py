"""Injector's compiled loops: mined rules, perfect matchings, and groups that leave everybody enough values."""
