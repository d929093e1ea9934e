"""How a process starts, writes and ends: signals, exit codes, standard streams and the terminal."""
