/** Adapter for the `openai` package: `create`, the helper `stream` and the tool runner `runTools`. */

import OpenAI from 'openai';
import { joinChunks, resultOf } from './shared/openai-shapes.mjs';
import { functions, KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

function completionsOf(job, helpers = false) {
  const client = new OpenAI({ apiKey: KEY, baseURL: job.base_url, maxRetries: 0 });
  // Up to release 4 the helpers were in `beta`.
  return (helpers && client.beta.chat?.completions) || client.chat.completions;
}

/** Return the tools without `strict`, as most users declare them. With it, the helpers decode arguments and throw. */
function toolsOf(job) {
  return job.tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: undefined } }));
}

function requestBody(job) {
  return {
    model: MODEL,
    messages: MESSAGES,
    ...(job.tools.length && { tools: toolsOf(job) }),
    ...(job.n > 1 && { n: job.n }),
    ...(job.response_format && { response_format: job.response_format }),
  };
}

/** Send a request with `create`. Join the chunks of a stream as the documentation of streamed tool calls shows. */
async function plain(job) {
  if (!job.stream) return resultOf(await completionsOf(job).create(requestBody(job)));
  const body = { ...requestBody(job), stream: true, stream_options: { include_usage: true } };
  return joinChunks(await completionsOf(job).create(body), job.n);
}

/** Send a request with `stream`, and read the final completion. */
async function stream(job) {
  const body = { ...requestBody(job), stream_options: { include_usage: true } };
  return resultOf(await completionsOf(job, true).stream(body).finalChatCompletion());
}

/** Send requests with `runTools`, which runs the tools. */
async function runTools(job) {
  const executedCalls = [];
  const tools = functions(job, executedCalls).map(({ run, ...described }) => ({
    type: 'function',
    function: { ...described, function: run, parse: JSON.parse },
  }));
  const runner = completionsOf(job, true).runTools({ ...requestBody(job), tools, stream: job.stream });
  return { text: await runner.finalContent(), calls: executedCalls };
}

serve({ plain, stream, 'tool-runner': runTools });
