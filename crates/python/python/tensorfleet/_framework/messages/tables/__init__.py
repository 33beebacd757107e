"""The fields of the protobuf messages, a table for each area; `schema.py` says how they are written."""
