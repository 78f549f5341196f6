"""What exercises of lesson 22 share: how a word for each letter is judged."""

from helpers.coach import Wrong


def judge_letters(lab, asks, got, asked, words, beliefs):
    """Raise Wrong for the first letter with another word than asked; the others are named."""
    if isinstance(got, dict):
        bad = [
            letter
            for letter in asked
            if got.get(letter, ...) is not ... and got[letter] != asked[letter]
        ]
        for letter in bad:
            if got[letter] not in words:
                listed = ", ".join(f'"{word}"' for word in words)
                raise Wrong(
                    "another form",
                    f"`{letter}` is {got[letter]!r}.",
                    try_=f"Each answer is one of {listed}.",
                    headline="no such word",
                )
        if bad:
            kind, headline, text = beliefs[bad[0], got[bad[0]]]
            others = ", ".join(f"`{letter}`" for letter in bad[1:])
            try_ = f"Then look at {others} again." if others else ""
            raise Wrong(kind, text, try_=try_, headline=headline)
    lab.equal(got, asked, what=f"`{asks}` is", secret=True)
