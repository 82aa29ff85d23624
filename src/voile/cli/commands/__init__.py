"""The commands, one file per command; voile.cli.run lists them."""
