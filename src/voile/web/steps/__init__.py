"""The steps of the workbench, one file per step: load, mark, promise, compare, publish, receive."""
