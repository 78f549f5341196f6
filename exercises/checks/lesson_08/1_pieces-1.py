from helpers.coach import Exercise, wrong_value


class PredictPieces(Exercise):
    """Predict what is received

    Read this program, and do not run it. All that is sent is there before the first `recv`.

        here, there = socket.socketpair()
        there.sendall(b"tea")
        there.sendall(b"cake")
        there.close()
        answers = [here.recv(5), here.recv(5), here.recv(5)]

    Set `answers` to the list of the three values.
    """

    id = "pieces-1"
    asks = "answers"
    minutes = 3
    hints = (
        "A stream is a row of bytes. Does anything in it tell where one `sendall` ended?",
        "`recv(5)` takes what is there, at most five bytes. What is left for the second one?",
        'The first takes `b"teaca"`. When all has been read and the other side has hung up, '
        "`recv` returns no bytes.",
    )
    right_values = ([b"teaca", b"ke", b""], (b"teaca", b"ke", b""), ["teaca", "ke", ""])
    wrong_values = (
        wrong_value(
            [b"tea", b"cake", b""],
            "one read is one message",
            "You let each `recv` give what one `sendall` sent. A stream does not keep "
            "them apart: `recv` takes what is there, up to what was asked.",
            headline="took a send for a message",
        ),
        wrong_value(
            ["tea", "cake", ""],
            "one read is one message",
            "You let each `recv` give what one `sendall` sent. A stream does not keep "
            "them apart: `recv` takes what is there, up to what was asked.",
            headline="took a send for a message",
        ),
        wrong_value(
            [b"teaca", b"ke", b"ke"],
            "end of stream",
            "You let the last `recv` give `ke` once more. What has been received is out "
            "of the stream, and nothing came after it.",
            headline="read the same bytes twice",
        ),
        wrong_value(
            [b"teacake", b"", b""],
            "one read is one message",
            "You let the first `recv` take all. It takes at most 5 bytes.",
            headline="took more than was asked",
        ),
        wrong_value(
            [b"teaca", b"ke", None],
            "end of stream",
            'You let the last `recv` return None. The end of a stream is b"", no bytes.',
            headline="None for the end",
        ),
        wrong_value(
            [b"teaca", b"ke"],
            "stopped early",
            "You gave two values. There are three calls, and the last one returns too.",
            headline="stopped too early",
        ),
        wrong_value(
            [b"tea", b"ca", b"ke"],
            "one read is one message",
            "You let the first `recv` stop where the first `sendall` ended. A stream does "
            "not keep them apart.",
            headline="took a send for a message",
        ),
    )
