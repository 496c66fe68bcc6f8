"""What people look at: figures, tables, comparison with the paper, trajectories."""
