"""Whether the words of a picture can be read: none cut at its edge, none over another."""

import itertools

from matplotlib.figure import Figure

from helpers.pictures.picture import style


def _texts(figure: Figure):
    """Every text that a drawn figure shows, without the labels of ticks outside its axes."""
    for axes in figure.axes:
        yield from [*axes.texts, axes.xaxis.label, axes.yaxis.label, axes._left_title]
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(ends)
            ticks = axis.get_major_ticks()
            yield from (tick.label1 for tick in ticks if low <= tick.get_loc() <= high)
    yield from figure.texts
    for legend in figure.legends:
        yield from legend.get_texts()


def cut_or_covered(figure: Figure):
    """The words that reach over the edge of a figure, and the pairs that lie over one another.

    At the edge a pixel is allowed: no letter fills its box.
    """
    with style():  # ticks are made while it is drawn
        figure.draw_without_rendering()
    shown = [text for text in _texts(figure) if text.get_visible() and text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown]
    whole = figure.bbox.padded(1)
    cut = [words for words, box in boxes if not _within(box, whole)]
    over = [
        (one, other) for (one, a), (other, b) in itertools.combinations(boxes, 2) if _over(a, b)
    ]
    return cut, over


def _within(box, whole):
    return whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1


def _over(a, b):
    return min(a.x1, b.x1) > max(a.x0, b.x0) and min(a.y1, b.y1) > max(a.y0, b.y0)
