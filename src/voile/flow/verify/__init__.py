"""Check a published folder, and republish where only the key can tell."""
