"""All wrong beliefs, a family a file, by their ids."""

from helpers.beliefs import cancelling, generators, sharing, starting, switching, together
from helpers.beliefs.world import Belief

FAMILIES = generators, starting, switching, together, cancelling, sharing

BELIEFS: dict[str, Belief] = {belief.id: belief for family in FAMILIES for belief in family.BELIEFS}
