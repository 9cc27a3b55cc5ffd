"""What the code decides."""
