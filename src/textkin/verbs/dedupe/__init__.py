"""Which texts can go, because others say the same."""
