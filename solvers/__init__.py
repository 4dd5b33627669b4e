"""Who builds: ideas, search policies, solver branches, containers, tasks and scores."""
