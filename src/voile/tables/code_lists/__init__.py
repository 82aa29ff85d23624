"""Public code lists as hierarchies: recognised by their codes, each of a stated edition and source."""
