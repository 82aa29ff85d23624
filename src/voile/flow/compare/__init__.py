"""Try methods and parameters on one table and compare what each keeps and loses."""
