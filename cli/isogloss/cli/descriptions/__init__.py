"""Describe what isogloss knows: dialects, clients, and where the documentation is published."""
