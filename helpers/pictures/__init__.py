"""A recording, or what an experiment measured, as a picture."""
