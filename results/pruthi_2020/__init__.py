"""What can be counted in the texts of Pruthi et al. (2020)."""
