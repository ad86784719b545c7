"""Programs of other people's integrations, run by ``test_integrations.py``."""
