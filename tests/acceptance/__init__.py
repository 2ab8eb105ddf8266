"""AC1 to AC20 of the specification (000 section 5), one file each, on the real packaged model."""
