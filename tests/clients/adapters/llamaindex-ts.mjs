/** Adapter for `OpenAI` of `@llamaindex/openai`: `chat`, and `exec` in a loop, which runs tools. */

import { tool } from '@llamaindex/core/tools';
import { OpenAI } from '@llamaindex/openai';
import { call, functions, KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

const MAX_STEPS = 5;

function modelOf(job) {
  return new OpenAI({ model: MODEL, apiKey: KEY, baseURL: job.base_url, maxRetries: 0 });
}

function toolsOf(job, executedCalls) {
  return functions(job, executedCalls).map(({ run, ...described }) => tool({ ...described, execute: run }));
}

/** Send a request with `chat`. Join the texts of a stream. Calls with the same id are one call; its last form counts. */
async function chat(job) {
  const request = { messages: MESSAGES, tools: toolsOf(job, []), stream: job.stream };
  const calls = new Map();
  let text = '';
  const addCalls = ({ toolCall }) => toolCall?.forEach((item) => calls.set(item.id, call(item.name, item.input)));
  if (job.stream) {
    for await (const { delta, options } of await modelOf(job).chat(request)) {
      text += delta;
      addCalls(options ?? {});
    }
  } else {
    const { message } = await modelOf(job).chat(request);
    text = message.content;
    addCalls(message.options ?? {});
  }
  return { text: text || null, calls: [...calls.values()] };
}

/** Send requests with `exec`, as its documentation shows, until an answer has no calls. */
async function exec(job) {
  const executedCalls = [];
  const tools = toolsOf(job, executedCalls);
  const messages = [...MESSAGES];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { stream, newMessages, toolCalls } = await modelOf(job).exec({ messages, tools, stream: job.stream });
    let text = '';
    if (job.stream) for await (const { delta } of stream) text += delta;
    const added = job.stream ? newMessages() : newMessages;
    messages.push(...added);
    if (!toolCalls.length) return { text: (job.stream ? text : added.at(-1).content) || null, calls: executedCalls };
  }
  return { text: null, calls: executedCalls };
}

serve({ chat, exec });
