"""What output formats share: options, names of places, frames, summaries of what was skipped, Markdown, JSON."""
