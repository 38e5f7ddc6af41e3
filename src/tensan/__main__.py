"""`python -m tensan`: the same as the `tensan` command."""

import sys

# `-m` puts the working folder first: a file of the user's there must not stand in for a package that we import.
_folder = None if sys.flags.safe_path else sys.path.pop(0)

from tensan.cli.main import main  # noqa: E402

if _folder is not None:
    sys.path.insert(0, _folder)

if __name__ == "__main__":
    main()
