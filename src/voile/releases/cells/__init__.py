"""Published cells: what a label stands for, how labels are chosen, and how they are read back."""
