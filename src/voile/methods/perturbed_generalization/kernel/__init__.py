"""Perturbed generalization's loops: boxes that tile the space, and cuts by information."""
