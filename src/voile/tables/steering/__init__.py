"""What the publisher wishes for single columns: how much they matter, how coarse they may be, how they are coded."""
