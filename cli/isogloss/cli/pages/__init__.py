"""What all HTML pages share: one design, the picture of the verdict, findings that open, and the pages of rules."""
