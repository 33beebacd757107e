# Written by stubs.py; do not edit.


__all__ = [

]
