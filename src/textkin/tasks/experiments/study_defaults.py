"""What a study does unless told otherwise; apart, as the help of the command shows it and loads no more."""

MODELS = ("static", "siamese-lstm", "siamese-bag")
