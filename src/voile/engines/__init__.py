"""Where rows live while a table is published: in memory, on disk, or on Spark. No engine knows a word of privacy."""
