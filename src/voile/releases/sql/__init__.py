"""SQL on a release: DuckDB answers a query on every completion, and the answers are pooled."""
