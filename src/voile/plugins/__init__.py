"""How models, methods, attacks, measures and engines register and take parameters."""
