"""isogloss as an addon of mitmproxy: the Chat Completions traffic that passes is judged as it ends.

    pip install 'isogloss[mitmproxy]'
    mitmdump -s "$(python -m isogloss.cli.proxy)" --mode reverse:https://api.example.com

The findings go to the event log, one by one, and a report to standard output at the end. Options, with ``--set``:

``isogloss_config=FILE``
    the configuration, instead of the one that is found from where mitmproxy was started
``isogloss_dialect=SLUG``
    as ``--dialect``
``isogloss_output=FORMAT:FILE``
    the report to a file, too, in one of the formats of ``isogloss check``; may be repeated

Streams pass on as they come. mitmproxy keeps no body of a stream then: with ``-w FILE``, which writes the flows to a
file, goes ``--set store_streamed_bodies=true``.
"""

from __future__ import annotations
