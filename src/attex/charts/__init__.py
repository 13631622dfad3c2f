"""The figures, each a function from rows to a Vega-Lite specification."""
