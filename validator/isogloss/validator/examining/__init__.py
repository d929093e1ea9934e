"""Finding deviations in one exchange: by the schema, by the rules; and where in the capture they stand."""
