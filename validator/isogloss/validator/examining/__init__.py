"""Find deviations in one exchange, by the schema and by the rules, and where in the capture they stand."""
