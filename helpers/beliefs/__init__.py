"""Wrong beliefs about asynchronous code, each as a world in which it holds.

world.py       how a program runs in a world, and what is true
all.py         the beliefs by their ids; a family a file: generators, starting, switching,
               together, cancelling, sharing
trees.py       what they look for in a syntax tree
statements.py  the belief behind a wrong answer to a program that an exercise shows
apart.py       event loops beside the kernel's own
"""
