/** Adapter for `InferenceClient` of `@huggingface/inference`: `chatCompletion` and `chatCompletionStream`. */

import { InferenceClient } from '@huggingface/inference';
import { joinChunks, resultOf } from './shared/openai-shapes.mjs';
import { KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

const client = new InferenceClient(KEY);

/** Send a request with `chatCompletion` or `chatCompletionStream`, whose chunks are joined as for `openai`. */
async function chat(job) {
  const args = {
    endpointUrl: job.base_url,
    model: MODEL,
    messages: MESSAGES,
    ...(job.tools.length && { tools: job.tools }),
    ...(job.n > 1 && { n: job.n }),
  };
  const options = { retry_on_error: false };
  if (!job.stream) return resultOf(await client.chatCompletion(args, options));
  return joinChunks(client.chatCompletionStream({ ...args, stream_options: { include_usage: true } }, options), job.n);
}

serve({ chat });
