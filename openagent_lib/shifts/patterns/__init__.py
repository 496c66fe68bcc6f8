"""Domain-independent patterns of the shifts: words for queries, tools and observations."""
