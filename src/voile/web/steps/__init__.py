"""The steps of the workbench, a file each: load, mark, promise, compare, publish, receive."""
