"""How episodes are run, judged, stored and summarised."""
