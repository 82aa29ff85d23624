"""Injector's loops: mined rules, and groups that leave everybody enough values."""
