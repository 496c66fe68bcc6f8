"""What changes in the open world, one module per tier."""
