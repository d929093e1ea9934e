/** Adapter for `@continuedev/openai-adapters`, with which Continue sends requests to Chat Completions servers. */

import { constructLlmApi } from '@continuedev/openai-adapters';
import { joinChunks, resultOf } from './shared/openai-shapes.mjs';
import { KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

/** Send a request with `chatCompletionNonStream` or `chatCompletionStream`, whose chunks are joined as for `openai`. */
async function chat(job) {
  const api = constructLlmApi({ provider: 'openai', apiKey: KEY, apiBase: `${job.base_url}/` });
  const body = { model: MODEL, messages: MESSAGES, ...(job.tools.length && { tools: job.tools }), ...(job.n > 1 && { n: job.n }) };
  const { signal } = new AbortController();
  if (!job.stream) return resultOf(await api.chatCompletionNonStream({ ...body, stream: false }, signal));
  return joinChunks(api.chatCompletionStream({ ...body, stream: true }, signal), job.n);
}

serve({ chat });
