"""The words of the world of points of interest, one module for each kind."""
