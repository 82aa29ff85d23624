"""ART's loops: hiding one protected row, and merging groups until the test passes."""
