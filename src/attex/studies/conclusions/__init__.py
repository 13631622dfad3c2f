"""What papers concluded about attention, each as the sign of a difference."""
