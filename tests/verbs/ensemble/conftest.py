from tests.cli.conftest import textkin as textkin
