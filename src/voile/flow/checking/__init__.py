"""Check what anyone can check about a release: the steps that `publish` and `verify` share."""
