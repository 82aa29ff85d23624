"""The ways to show a group, one file per shape. Defining the class registers the shape; `find_shape` finds it."""
