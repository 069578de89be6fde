"""``python -m faultline.cli`` is the command line."""

from faultline.cli.main import main

if __name__ == "__main__":
    main()
