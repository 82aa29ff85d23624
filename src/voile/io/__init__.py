"""The borders: files, databases, spec.toml and the release folder. Nothing here knows a model or a method."""
