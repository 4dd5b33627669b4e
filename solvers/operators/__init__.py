"""AIM's operators: what its agent is asked, how a reply is checked, and what is done without one."""
