"""What was measured, one script a table. `make benchmarks` runs them all; README.md has results."""
