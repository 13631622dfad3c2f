"""What every room stands on: names, errors, storage, memory and progress."""
