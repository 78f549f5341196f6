"""What an exercise is: its statement, its programs, their stubs, how it is found."""
