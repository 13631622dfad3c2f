"""All measures against all measures, on every dataset and two kinds of model."""
