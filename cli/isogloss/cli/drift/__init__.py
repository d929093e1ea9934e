"""``isogloss schemas drift``: compare the reference with a newer description of the same API, property by property.

``openapi``, ``python_types`` and ``typescript`` read a description into JSON Schema. ``alternatives`` and ``shapes``
reduce a schema to what it allows at one path. ``differences`` compares two schemas from the root down. ``decisions``
finds the decision that covers a difference.
"""
