"""What a user sets, in files and by options: settings, and the rules, dialects and clients that they choose."""
