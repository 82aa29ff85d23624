"""The nouns of voile, frozen. Nothing here knows where rows live or which models exist."""
