"""Find exchanges in JSON values, by their structure and by the content of their values."""
