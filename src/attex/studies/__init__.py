"""Many models, one answer: what a number depends on."""
