/** Adapter for `@earendil-works/pi-ai`, the library of the coding agent pi: `complete`, which always asks for a stream. */

import { createModels, createProvider } from '@earendil-works/pi-ai';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { call, functions, KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

const FINISH_REASONS = { stop: 'stop', length: 'length', toolUse: 'tool_calls' };

/** Return a collection with one model at the base URL of a job, as the README shows for servers of one's own. */
function modelsOf(job) {
  const model = {
    id: MODEL,
    name: MODEL,
    api: 'openai-completions',
    provider: 'local',
    baseUrl: job.base_url,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128000,
    maxTokens: 32000,
  };
  const models = createModels();
  const auth = { apiKey: { name: 'Local', resolve: async () => ({ auth: { apiKey: KEY } }) } };
  const provider = { id: 'local', name: 'Local', baseUrl: job.base_url, auth, models: [model], api: openAICompletionsApi() };
  models.setProvider(createProvider(provider));
  return models;
}

/** Send a request, and join the blocks of its answer. As the README says, an error does not throw, but is in the answer. */
async function complete(job) {
  const models = modelsOf(job);
  const context = { messages: MESSAGES, tools: functions(job, []).map(({ run, ...described }) => described) };
  const message = await models.complete(models.getModel('local', MODEL), context, { maxRetries: 0 });
  if (message.stopReason === 'error') throw new Error(message.errorMessage);
  const blocksOf = (type) => message.content.filter((block) => block.type === type);
  const { input, cacheRead, cacheWrite, output } = message.usage;
  return {
    text: blocksOf('text').map((block) => block.text).join('') || null,
    calls: blocksOf('toolCall').map((block) => call(block.name, block.arguments)),
    finish_reason: FINISH_REASONS[message.stopReason],
    usage: { prompt_tokens: input + cacheRead + cacheWrite, completion_tokens: output },
    reasoning: blocksOf('thinking').map((block) => block.thinking).join('') || null,
  };
}

serve({ complete });
