/** Adapter for `@openai/agents` with its model for Chat Completions: `run`, which runs tools. */

import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { functions, KEY, MODEL, QUESTION, serve } from './shared/serving.mjs';

setTracingDisabled(true);

/** Run the agent with `run`, with or without streams, until an answer has no calls. */
async function agent(job) {
  const executedCalls = [];
  const tools = functions(job, executedCalls).map(({ name, description, parameters, run: execute }) =>
    tool({ name, description, parameters: { additionalProperties: true, required: [], ...parameters }, strict: false, execute }),
  );
  const client = new OpenAI({ apiKey: KEY, baseURL: job.base_url, maxRetries: 0 });
  const toolAgent = new Agent({ name: 'agent', model: new OpenAIChatCompletionsModel(client, MODEL), tools });
  const result = await run(toolAgent, QUESTION, { stream: job.stream });
  if (job.stream) {
    for await (const _ of result);
    await result.completed;
    if (result.error) throw result.error;
  }
  return { text: result.finalOutput ?? null, calls: executedCalls };
}

serve({ agent });
