"""The program ``benchbook`` from its first moment on: Ctrl-C ends it in silence until it can answer with a sentence."""

import signal

__all__ = ["main"]

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # which would make a traceback of it
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """The program."""
    from benchbook.cli import main as begin

    begin()


if __name__ == "__main__":
    main()
