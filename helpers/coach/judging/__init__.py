"""The judge's side: where an answer runs, and what judges it."""
