/**
 * Run the jobs of an adapter in JavaScript: they are lines of JSON on standard input, their results on standard output.
 *
 * A rejected promise that nobody awaits would end the process of Node.js. Here it becomes the result of the job that is
 * running.
 */

import { createInterface } from 'node:readline';

export const KEY = 'sk-test';
export const MODEL = 'gpt-4.1-mini';
export const QUESTION = 'What is the weather like in Zürich?';
export const MESSAGES = [{ role: 'user', content: QUESTION }];

const RESULT = 'done';

/** Return a call in the form in which the harness compares it. Arguments that are decoded are encoded again. */
export function call(name, args) {
  return { name, arguments: typeof args === 'object' && args !== null ? JSON.stringify(args) : args };
}

/** Return the functions of the tools of a job, each with a method `run` that adds its call to `executedCalls`. */
export function functions(job, executedCalls) {
  return job.tools
    .filter((tool) => tool.type === 'function')
    .map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? name,
      parameters: parameters ?? { type: 'object', properties: {} },
      run: async (args) => {
        executedCalls.push(call(name, args));
        return RESULT;
      },
    }));
}

/** Run the jobs on standard input, one on each line, until it ends. Send all other output to standard error. */
export async function serve(paths) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  let rejectJob = () => {};
  process.on('unhandledRejection', (error) => rejectJob(error));
  process.on('uncaughtException', (error) => rejectJob(error));
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, ...fields } = JSON.parse(line);
    const job = { ...fields, tools: fields.tools ?? [] };
    const jobRejected = new Promise((_, reject) => (rejectJob = reject));
    let result;
    try {
      const ok = await Promise.race([paths[job.path](job), jobRejected]);
      await Promise.race([new Promise((resolve) => setImmediate(resolve)), jobRejected]);
      result = { id, ok };
    } catch (error) {
      result = { id, raised: describeError(error) };
    }
    rejectJob = () => {};
    // Undefined values become null, because a property that is left out would not be compared.
    write(`${JSON.stringify(result, (_, value) => (value === undefined ? null : value))}\n`);
  }
}

function describeError(error) {
  if (!(error instanceof Error)) return { class: typeof error, message: error?.message ?? String(error) };
  return { class: error.name === 'Error' ? error.constructor.name : error.name, message: error.message };
}
