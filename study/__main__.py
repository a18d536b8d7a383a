"""``python -m study`` is ``thetafront``."""

from study.cli import main

if __name__ == "__main__":
    main()
