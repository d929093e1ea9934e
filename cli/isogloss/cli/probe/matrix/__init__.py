"""Several servers side by side: what each case ended as on each of them, why, and what changed since before."""
