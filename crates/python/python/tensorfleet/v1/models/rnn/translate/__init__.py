"""The tutorial that translates sentences."""
