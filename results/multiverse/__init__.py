"""What a published number depends on."""
