"""Check a published folder, and publish again to compare where only the key can tell."""
