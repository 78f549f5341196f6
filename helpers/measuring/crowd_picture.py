"""The picture of a crowd that waits: what its members cost on one loop, and in threads."""

from typing import TYPE_CHECKING

from helpers.pictures.picture import BLUE, DARK, ORANGE, WIDTH, Picture, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Crowd(Picture):
    """What `crowd` found. Dicts by way, "one loop" and "threads":

    connections; memory (KiB each); addresses (KiB each); start, round and alone in seconds: until
    all were served once, one message of each connection, one message of one connection while all
    others are silent.
    """

    def __init__(self, asked: int, found: dict[str, dict[str, float]]) -> None:
        """asked: connections that were wanted.  found: by way, what `crowd_process.serve` did."""
        self.asked = asked
        for name in ("connections", "memory", "addresses", "start", "round", "alone"):
            setattr(self, name, {way: found[way][name] for way in found})

    @property
    def text(self) -> str:
        """The picture's twin: a line for each way."""
        lines = [
            f"{way}: {self.connections[way]:,} connections, {self.memory[way]:.1f} KiB of memory "
            f"and {self.addresses[way]:,.0f} KiB of addresses each; all served once after "
            f"{1000 * self.start[way]:.0f} ms, a message of each in {1000 * self.round[way]:.0f} "
            f"ms, a message of one alone in {1e6 * self.alone[way]:.0f} µs"
            for way in self.memory
        ]
        lines += [
            f"{way}: this system allows no more than {number:,}, not {self.asked:,}."
            for way, number in self.connections.items()
            if number < self.asked
        ]
        return "\n".join(lines)

    @property
    def alt(self) -> str:
        """What the picture shows, in words."""
        return (
            "Two rows of bars: memory for each connection, and time for one message of each. "
            + self.text.replace("\n", ". ")
        )

    def draw(self) -> "Figure":
        """Draw both rows, the two ways in each."""
        from matplotlib.figure import Figure  # here, for what only measures shall stay small

        panels = {
            "memory for each connection, in KiB": self.memory,
            "one message of each connection, in ms": {
                way: 1000 * seconds for way, seconds in self.round.items()
            },
        }
        figure = Figure((WIDTH, 1.6), layout="constrained")
        for axes, (title, values) in zip(figure.subplots(1, 2, sharey=True), panels.items()):
            bars = axes.barh(
                list(values),
                list(values.values()),
                0.55,
                color=[BLUE, ORANGE],
                edgecolor=DARK,
                linewidth=0.6,
            )
            bars[1].set_hatch("///")
            axes.bar_label(bars, [f"{value:.1f}" for value in values.values()], padding=3)
            axes.set_xlim(0, 1.25 * max(values.values()))
            axes.set_xlabel(title)
            plain(axes)
        axes.invert_yaxis()  # that of both: the first way on top
        return figure
