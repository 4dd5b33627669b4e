"""Who builds: containers, the measuring harness, tasks and scores; ideas and search policies are to come."""
