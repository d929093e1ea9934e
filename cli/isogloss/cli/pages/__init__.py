"""The parts that HTML pages share: the design, the picture of the verdict, findings to open, and the pages of rules."""
