"""How models, methods, attacks, measures and engines register themselves and take parameters."""
