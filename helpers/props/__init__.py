"""What single lessons lean on."""
