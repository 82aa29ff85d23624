"""ART: the papers on r-robustness, recomputed."""
