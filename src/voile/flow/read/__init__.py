"""From a file, a data frame or a query to coded microdata."""
