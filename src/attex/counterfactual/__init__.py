"""Other attentions for the same hidden states: permuted, searched, exact, erased."""
