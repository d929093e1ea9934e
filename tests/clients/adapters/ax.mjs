/** Adapter for `@ax-llm/ax` with a server that is compatible with OpenAI: `chat`, and a generator, which runs tools. */

import { ai, ax } from '@ax-llm/ax';
import { call, functions, KEY, MESSAGES, MODEL, QUESTION, serve } from './shared/serving.mjs';

const FINISH_REASONS = { stop: 'stop', length: 'length', function_call: 'tool_calls', error: 'content_filter' };
const NO_RETRIES = { maxRetries: 0 };
const MAX_STEPS = 5;

function serviceOf(job) {
  return ai({ name: 'openai-compatible', apiURL: job.base_url, apiKey: KEY, config: { model: MODEL } });
}

/** Send a request with `chat`, which returns the choices. */
async function chat(job) {
  const request = {
    chatPrompt: MESSAGES,
    functions: functions(job, []).map(({ run, ...described }) => described),
    ...(job.n > 1 && { modelConfig: { n: job.n } }),
  };
  const { results, modelUsage } = await serviceOf(job).chat(request, { stream: false, retry: NO_RETRIES });
  const choices = results.map(({ content, functionCalls, finishReason }) => ({
    text: content,
    calls: (functionCalls ?? []).map((item) => call(item.function.name, item.function.params)),
    finish_reason: FINISH_REASONS[finishReason],
  }));
  return { ...choices[0], usage: usageOf(modelUsage?.tokens), ...(choices.length > 1 && { choices }) };
}

/** Return token counts. Ax counts tokens of the cache beside the prompt, and OpenAI counts them in it. */
function usageOf(tokens) {
  const { promptTokens, cacheReadTokens = 0, cacheCreationTokens = 0, completionTokens } = tokens ?? {};
  return tokens && { prompt_tokens: promptTokens + cacheReadTokens + cacheCreationTokens, completion_tokens: completionTokens };
}

/** Run a generator of one field of text, which runs the tools. */
async function generate(job) {
  const executedCalls = [];
  const tools = functions(job, executedCalls).map(({ run, ...described }) => ({ ...described, func: run }));
  const generator = ax('question:string -> answer:string', { functions: tools });
  const options = { stream: job.stream, sampleCount: job.n, maxRetries: 0, maxSteps: MAX_STEPS, retry: NO_RETRIES };
  const { answer } = await generator.forward(serviceOf(job), { question: QUESTION }, options);
  return { text: answer, calls: executedCalls };
}

serve({ chat, generate });
