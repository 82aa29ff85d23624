"""From a file, a frame or a query to coded microdata."""
