"""The closed world: tools, tasks, domains and the environment that runs an episode."""
