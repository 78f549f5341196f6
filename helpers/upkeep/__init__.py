"""What keeps the course in shape: `course.py bench` and `refresh` run these in the environment."""
