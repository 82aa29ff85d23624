"""Arrow files: what they claim to hold, before anything is decompressed."""
