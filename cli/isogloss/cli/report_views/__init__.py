"""The views of a corpus that ``isogloss report`` prints.

Each view has a folder. Its module ``tables`` says what text and Markdown show, ``as_json`` what JSON shows, and
``page`` makes the HTML page.
"""
