"""``python -m textkin`` is the same as the command ``textkin``."""

import sys

from textkin.cli import main

sys.exit(main())
