"""Neely & Schouten 2020: both tables and both figures, measured."""
