"""Guide: what a recipient needs to know about a release, made from its folder alone, and the zip that holds both."""
