"""The ways of showing a group, one file a shape. Defining the class registers the shape; `find_shape` finds it."""
