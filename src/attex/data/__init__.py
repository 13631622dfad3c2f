"""Text → examples → padded batches; `readers/` has one file per dataset."""
