"""The words of a room's code: short, plain, and no two alike in the last row."""

import secrets

WORDS = """
acorn almond amber anchor apple apron arrow autumn badge bagel bakery balloon bamboo banana barley
basil basket beach beaver berry birch biscuit blanket blossom bonnet bottle boulder bramble branch
bread bridge bronze brook bucket butter button cabin cactus camel candle canoe canyon carpet carrot
castle cedar cellar cherry chimney cinnamon circle citrus clover cobalt coconut coffee comet copper
coral corner cotton cradle crane crayon cricket crystal cushion daisy dancer desert diamond dolphin
donkey dragon drawer eagle easel echo eleven elm ember engine falcon feather fern fiddle finch
flannel flute forest fossil fountain fox galaxy garden garlic gate ginger glacier goblet granite
grape gravel guitar hammer harbor harvest hazel heron hickory hill honey horizon igloo indigo
island ivory jacket jasmine jungle kettle kitten ladder lagoon lantern laurel lemon lentil lilac
linen lizard lobster lotus magnet mango maple marble meadow melon mercury mint mirror monkey moss
mountain mustard napkin nectar needle nickel noodle nutmeg oak oasis ocean olive onion orange orbit
orchard otter owl oyster paddle panda papaya paper parrot pasture peach pebble pelican pencil
pepper piano pigeon pillow pine planet plum pocket pony poppy potato prairie pumpkin quartz quilt
rabbit radish raven ribbon river robin rocket saddle saffron sailor salmon sandal satin seven
shadow silver sparrow spinach spruce squirrel stable star stone summer sunset swan table tangerine
teapot thimble thunder tiger timber tomato topaz tulip tunnel turnip turtle valley vanilla velvet
village violet violin walnut walrus water whale whistle willow window winter wizard yellow zebra
zipper
""".split()


def new_code() -> str:
    """Three words, drawn for a room."""
    return " ".join(secrets.choice(WORDS) for _ in range(3))
