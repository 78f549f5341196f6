"""The schedule game: the order in which things arrive is a choice, of a player or of a search.

    play(program)      the learner chooses what arrives next, and tries to break the program
    orders(program)    a search through all orders, which shows the shortest that breaks it
    arrival("Ann")     a wait in a program whose end may come whenever the player likes

What varies is what comes from outside a loop: an answer, a timer, an error, a cancellation. What a
loop does with it does not: callbacks run in the order of `call_soon`, which asyncio promises.

    arrivals.py      a wait whose end is open
    loop.py          the event loop that asks what arrives next
    replaying.py     one run of a program, by a list of choices
    words.py         what broke a program, in words
    searching.py     all runs, the shortest first
    orders.py        what a search found, and its picture
    game.py          what a player sees and does; field.py where somebody can press a button
"""

from helpers.schedules.arrivals import arrival
from helpers.schedules.game import play
from helpers.schedules.orders import orders
from helpers.schedules.replaying import replay

__all__ = ["arrival", "orders", "play", "replay"]
