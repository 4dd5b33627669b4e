"""Who speaks: the gateway to models, the seats of the game, and the pools that put them on Ray."""
