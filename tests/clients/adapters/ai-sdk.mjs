/**
 * Adapter for the AI SDK: `generateText` and `streamText` with each of its two providers for Chat Completions, with and
 * without tools that run.
 */

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as ai from 'ai';
import { call, functions, KEY, MODEL, QUESTION, serve } from './shared/serving.mjs';

const MAX_STEPS = 5;
// Release 7 renamed this function.
const stopAfterSteps = ai.isStepCount ?? ai.stepCountIs;

const MODELS = {
  openai: (job) => createOpenAI({ apiKey: KEY, baseURL: job.base_url }).chat(MODEL),
  compatible: (job) =>
    createOpenAICompatible({ name: 'compatible', apiKey: KEY, baseURL: job.base_url, includeUsage: true })(MODEL),
};

function requestOptions(job, model, executedCalls) {
  const tools = functions(job, executedCalls ?? []).map(({ name, description, parameters, run }) => [
    name,
    ai.tool({ description, inputSchema: ai.jsonSchema(parameters), ...(executedCalls && { execute: run }) }),
  ]);
  return {
    model: model(job),
    prompt: QUESTION,
    maxRetries: 0,
    tools: Object.fromEntries(tools),
    ...(executedCalls && { stopWhen: stopAfterSteps(MAX_STEPS) }),
  };
}

/** Return the result of `generateText` or `streamText`, whose stream is read first. Throw an error in the stream. */
async function resultOf(job, options) {
  if (!job.stream) return ai.generateText(options);
  const result = ai.streamText({ ...options, onError: () => {} });
  let failure = null;
  for await (const part of result.fullStream) {
    if (part.type === 'error') failure ??= { error: part.error };
  }
  const names = ['text', 'toolCalls', 'finishReason', 'rawFinishReason', 'usage', 'reasoningText'];
  const settled = await Promise.allSettled(names.map((name) => result[name]));
  if (failure) throw failure.error;
  return Object.fromEntries(settled.map(({ status, value, reason }, index) => {
    if (status === 'rejected') throw reason;
    return [names[index], value];
  }));
}

function usageOf({ inputTokens, outputTokens }) {
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return { prompt_tokens: inputTokens ?? null, completion_tokens: outputTokens ?? null };
}

/** Return a finish reason in OpenAI's spelling. The SDK gives `tool-calls` for deprecated function calls too. */
function finishReasonOf(finishReason, raw) {
  return finishReason === 'tool-calls' && raw === 'function_call' ? raw : finishReason.replaceAll('-', '_');
}

/** Return the function of a path that sends one request. The SDK does not distinguish an empty text from none. */
function answer(model) {
  return async (job) => {
    const { text, toolCalls, finishReason, rawFinishReason, usage, reasoningText } = await resultOf(job, requestOptions(job, model));
    return {
      text: text || null,
      calls: toolCalls.map((toolCall) => call(toolCall.toolName, toolCall.input)),
      finish_reason: finishReasonOf(finishReason, rawFinishReason),
      usage: usageOf(usage),
      reasoning: reasoningText || null,
    };
  };
}

/** Return the function of a path whose tools run, until an answer has no calls. */
function loop(model) {
  return async (job) => {
    const executedCalls = [];
    const { text } = await resultOf(job, requestOptions(job, model, executedCalls));
    return { text: text || null, calls: executedCalls };
  };
}

serve({
  openai: answer(MODELS.openai),
  'openai-loop': loop(MODELS.openai),
  compatible: answer(MODELS.compatible),
  'compatible-loop': loop(MODELS.compatible),
});
