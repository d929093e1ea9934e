"""What several output formats share: frames below findings, summaries of what was skipped, and text of Markdown."""
