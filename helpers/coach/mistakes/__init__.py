"""What can be wrong, in words, and how it is found."""
