"""All worlds of small tables with several secrets, and of mechanisms that perturb values."""
