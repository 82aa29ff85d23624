"""Projects: tables, what was asked of them step by step, and what was published, in a folder for the user alone."""
