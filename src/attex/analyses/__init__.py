"""What the papers did with the pieces; each analysis returns tables and charts as data."""
