"""The label of a text by its nearest labelled example."""
