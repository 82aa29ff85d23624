"""Where rows live. An engine implements the verbs of core/rows.py and contains no privacy word."""
