"""`python -m gamut_eval`: the command `gamut`."""

from gamut_eval.cli.main import main

if __name__ == "__main__":
    main()
