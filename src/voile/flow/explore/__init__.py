"""Look at a table, a promise or a release before you decide."""
