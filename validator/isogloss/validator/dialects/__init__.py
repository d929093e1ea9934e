"""Read dialects and their facts, explain findings by them, and decide which dialect an exchange speaks."""
