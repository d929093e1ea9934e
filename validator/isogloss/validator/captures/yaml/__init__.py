"""Read YAML as JSON, with the place of each part."""
