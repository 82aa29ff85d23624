"""Read a file, a frame or a query into coded microdata."""
