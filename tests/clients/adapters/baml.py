"""Adapter for BAML, whose core is in Rust: a function that returns text, called and streamed by the generated client.

BAML describes calls and structures in the prompt, and reads them in the text. It sends no tools, and shows no calls.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from serving import KEY, MODEL, QUESTION, Job, serve

SOURCE = """
generator python {
  output_type "python/pydantic"
  output_dir ".."
  version "%s"
  default_client_mode sync
}
client<llm> Server {
  provider openai-generic
  options {
    base_url env.BASE_URL
    api_key env.API_KEY
    model env.MODEL
  }
}
function Ask(question: string) -> string {
  client Server
  prompt #"{{ _.role("user") }}{{ question }}"#
}
"""

CAUSE = re.compile(r'Caused by:\s+(.+)|, message: "(.+?)", code: ')
"""Where the message of an error says why an answer could not be read."""


@cache
def _generated_client() -> Any:
    """Generate the client in the working folder, as the quick start does, and return it."""
    folder = Path("baml_src")
    folder.mkdir(exist_ok=True)
    (folder / "main.baml").write_text(SOURCE % version("baml-py"), "utf-8")
    subprocess.run([Path(sys.executable).with_name("baml-cli"), "generate"], check=True, stdout=sys.stderr)
    sys.path.insert(0, str(Path.cwd()))
    from baml_client import b  # type: ignore[import-not-found]

    return b


def function(job: Job) -> dict[str, Any]:
    """Call the function, and return its text with the usage that a collector counts."""
    from baml_py import Collector

    collector = Collector("answer")
    env = {"BASE_URL": job.base_url, "API_KEY": KEY, "MODEL": MODEL, "BAML_LOG": "off"}
    client = _generated_client().with_options(collector=collector, env=env)
    text = client.stream.Ask(QUESTION).get_final_response() if job.stream else client.Ask(QUESTION)
    usage = collector.last.usage
    return {
        "text": text,
        "usage": {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens},
    }


def _message_of(error: BaseException) -> str:
    """Return the property ``message`` of an error, and before it the cause, which stands far behind in it."""
    message = str(getattr(error, "message", error))
    cause = CAUSE.search(message)
    return f"{cause[1] or cause[2]}: {message}" if cause else message


serve({"function": function}, _message_of)
