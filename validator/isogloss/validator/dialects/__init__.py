"""Dialects as data: their facts, which of them explain a finding, and which dialect an exchange speaks."""
