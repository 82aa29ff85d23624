"""`python -m voile` is the command line."""

from voile.cli import main

main()
