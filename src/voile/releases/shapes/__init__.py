"""The ways of showing a group, one file a shape. Defining the class registers the shape; `of_shape` finds it."""
