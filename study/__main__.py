"""``thetafront`` is ``python -m study``."""

from study import interrupt


def main() -> None:
    """Run the command line; interrupts are answered before anything slow is imported."""
    interrupt.watch()
    from study.cli import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
