from helpers.coach import Exercise, Wrong, right, wrong


class Take(Exercise):
    """Take the first few"""

    id = "t-take"
    asks = "take"

    def verify(self, take, lab):
        source = lab.source([10, 20, 30, 40])
        items = lab.generator(lab.call(take, source, 2))
        if source.taken:
            raise Wrong("eager", f"`take` took {source.taken} items before anybody asked.")
        lab.equal(list(items), [10, 20])
        if source.taken > 2:
            raise Wrong("one too many", f"I asked for 2 items; the source gave {source.taken}.")

    @right
    def with_range(source, n):
        """Yield the first `n` items of `source`."""
        for _ in range(n):
            yield next(source)

    @wrong("one too many", says="gave 3")
    def with_enumerate(source, n):
        for number, item in enumerate(source):
            if number == n:
                return
            yield item

    @wrong("not a generator", says="list")
    def builds_a_list(source, n):
        return [next(source) for _ in range(n)]
