/** Adapter for `ChatOpenAI` of `@langchain/openai`: `invoke`, `stream`, and LangChain's agent, which runs tools. */

import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { call, functions, KEY, MODEL, QUESTION, serve } from './shared/serving.mjs';

const MAX_STEPS = 12;

function modelOf(job) {
  return new ChatOpenAI({
    model: MODEL,
    apiKey: KEY,
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: job.base_url },
    ...(job.n > 1 && { n: job.n }),
  });
}

function usageOf(usage) {
  if (usage?.input_tokens === undefined && usage?.output_tokens === undefined) return null;
  return { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens };
}

/** Return the result that a message holds, including calls whose arguments LangChain could not decode. */
function resultOf(message) {
  const { usage_metadata: usage, response_metadata: metadata } = message;
  return {
    text: message.text || null,
    calls: [
      ...(message.tool_calls ?? []).map((toolCall) => call(toolCall.name, toolCall.args)),
      ...(message.invalid_tool_calls ?? []).map((toolCall) => call(toolCall.name, toolCall.args)),
    ],
    finish_reason: metadata.finish_reason ?? null,
    usage: usageOf(usage),
    reasoning: message.additional_kwargs.reasoning_content || null,
    refusal: message.additional_kwargs.refusal || null,
  };
}

/** Send a request with `invoke`, or with `stream`, and add the chunks as its documentation shows. */
async function model(job) {
  const bound = job.tools.length ? modelOf(job).bindTools(job.tools) : modelOf(job);
  if (!job.stream) return resultOf(await bound.invoke(QUESTION));
  let joined;
  for await (const chunk of await bound.stream(QUESTION)) joined = joined === undefined ? chunk : joined.concat(chunk);
  return resultOf(joined);
}

/** Return the agent of `langchain`. Up to release 0.6 of `@langchain/openai`, the agent was in LangGraph. */
async function agentOf(llm, tools) {
  try {
    const { createAgent } = await import('langchain');
    return createAgent({ model: llm, tools });
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const { createReactAgent } = await import('@langchain/langgraph/prebuilt');
    return createReactAgent({ llm, tools });
  }
}

/** Run the agent with `invoke`, or with `stream` so that its model streams, until an answer has no calls. */
async function agent(job) {
  const executedCalls = [];
  const tools = functions(job, executedCalls).map(({ name, description, parameters, run }) =>
    tool(run, { name, description, schema: parameters }),
  );
  const toolAgent = await agentOf(modelOf(job), tools);
  const args = [{ messages: [{ role: 'user', content: QUESTION }] }, { recursionLimit: MAX_STEPS }];
  let state;
  if (job.stream) {
    for await (const [mode, part] of await toolAgent.stream(args[0], { ...args[1], streamMode: ['values', 'messages'] })) {
      if (mode === 'values') state = part;
    }
  } else {
    state = await toolAgent.invoke(...args);
  }
  return { text: state.messages.at(-1).text || null, calls: executedCalls };
}

serve({ model, agent });
