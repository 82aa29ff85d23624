"""Preview: what a release would show, beside the original table, for the publisher's eyes."""
