"""Reading and writing: table files, databases, spec.toml, the release folder. Nothing here knows a model or method."""
