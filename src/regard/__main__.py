"""`python -m regard` is `regard`."""

from regard.commands import main

if __name__ == "__main__":
    main()
