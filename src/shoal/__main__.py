"""`shoal`, and `python -m shoal`: where the program begins."""

import signal


def main() -> None:
    """Run the command line. Until a command begins its work, Ctrl-C ends the process without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise somebody decided, as nohup
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from shoal.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
