"""How methods follow the publisher's wishes for single columns, and how they withhold people."""
