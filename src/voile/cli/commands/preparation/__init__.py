"""Commands that look before anything is published: at a table, and at what voile can do."""
