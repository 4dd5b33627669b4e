"""Units: the smallest things worth playing again, each known by all that can change its result, stage by stage.

The game's are in game_unit.py, the idea search's in search_unit.py. Both have an id, a kind, a parent that they wait
for, what ``only.*`` picks them by, and what tables say of them.
"""

from pipelines.game_unit import GameUnit
from pipelines.search_unit import SearchUnit

Unit = GameUnit | SearchUnit
