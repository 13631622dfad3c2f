"""The published numbers, and the comparison of ours with them."""
