"""Perturbed generalization's compiled loops: boxes that tile the space, and cuts by information."""
