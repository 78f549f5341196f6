"""What an exercise is: its statement, its programs, how it is found."""
