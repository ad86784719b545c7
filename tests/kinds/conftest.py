import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file of predictions."""

    def writing(text, name="theirs.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return writing
