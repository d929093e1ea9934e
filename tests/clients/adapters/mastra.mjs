/** Adapter for the agent of `@mastra/core` with a custom server: `generate` and `stream`, which run tools. */

import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { functions, KEY, MODEL, QUESTION, serve } from './shared/serving.mjs';

const MAX_STEPS = 5;

/** Run the agent with `generate` or `stream`, until an answer has no calls. */
async function agent(job) {
  const executedCalls = [];
  const tools = functions(job, executedCalls).map(({ name, description, parameters, run }) => [
    name,
    createTool({ id: name, description, inputSchema: parameters, execute: run }),
  ]);
  const toolAgent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'You are helpful.',
    model: { id: `custom/${MODEL}`, url: job.base_url, apiKey: KEY },
    maxRetries: 0,
    tools: Object.fromEntries(tools),
  });
  const options = { maxSteps: MAX_STEPS, modelSettings: { maxRetries: 0 } };
  const result = job.stream ? await toolAgent.stream(QUESTION, options) : await toolAgent.generate(QUESTION, options);
  const text = await result.text;
  if (result.error) throw result.error;
  return { text: text || null, calls: executedCalls };
}

serve({ agent });
