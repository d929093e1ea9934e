"""Find the files of a command and read them, or divide them among several processes."""
