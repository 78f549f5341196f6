"""What every other room may stand on, and what stands on nothing of ours."""
