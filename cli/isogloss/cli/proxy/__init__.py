"""isogloss as an addon of mitmproxy: it judges each Chat Completions exchange that passes, as soon as it ends.

    pip install 'isogloss[mitmproxy]'
    mitmdump -s "$(python -m isogloss.cli.proxy)" --mode reverse:https://api.example.com

The findings go to the event log, one by one, and a report to standard output at the end. Options, with ``--set``:

``isogloss_config=FILE``
    the configuration, instead of the one that is found from the folder in which mitmproxy was started
``isogloss_dialect=SLUG``
    as ``--dialect``
``isogloss_output=FORMAT:FILE``
    write the report to a file, too, in one of the formats of ``isogloss check``; may be repeated

Streams are passed on as they come, and mitmproxy does not keep their bodies. If it writes the flows to a file
(``-w FILE``), add ``--set store_streamed_bodies=true``.
"""

from __future__ import annotations
