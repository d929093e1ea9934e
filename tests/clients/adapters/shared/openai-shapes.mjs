/** Read completions and chunks in the shapes of OpenAI, for clients that return them unchanged. */

import { call } from './serving.mjs';

function usageOf(usage) {
  return usage && { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens };
}

function resultOfChoice(choice) {
  return {
    text: choice.message.content,
    calls: (choice.message.tool_calls ?? []).map((toolCall) => call(toolCall.function.name, toolCall.function.arguments)),
    role: choice.message.role,
    finish_reason: choice.finish_reason,
    refusal: choice.message.refusal,
  };
}

/** Return the result that a completion holds. */
export function resultOf(completion) {
  const result = { ...resultOfChoice(completion.choices[0]), usage: usageOf(completion.usage) };
  return completion.choices.length > 1 ? { ...result, choices: completion.choices.map(resultOfChoice) } : result;
}

/**
 * Return the result that the chunks of a stream hold, joined as the README shows. If one choice was requested, the
 * first choice of each chunk is read, and otherwise all choices by their index.
 */
export async function joinChunks(chunks, n) {
  const foldedChoices = {};
  let usage = null;
  for await (const chunk of chunks) {
    usage = usageOf(chunk.usage) ?? usage;
    const choices = n > 1 ? chunk.choices : chunk.choices[0] ? [chunk.choices[0]] : [];
    for (const choice of choices) {
      addChoice((foldedChoices[n > 1 ? choice.index : 0] ??= { text: null, calls: {}, role: null, refusal: null }), choice);
    }
  }
  const choices = Object.values(foldedChoices).map((choice) => ({ ...choice, calls: Object.values(choice.calls) }));
  return choices.length > 1 ? { ...choices[0], usage, choices } : { ...choices[0], usage };
}

/** Add a choice of a chunk to a folded choice. Find its calls by index. As in the README, `delta` may be missing. */
function addChoice(foldedChoice, { delta, finish_reason }) {
  foldedChoice.finish_reason = finish_reason || foldedChoice.finish_reason;
  foldedChoice.role = delta?.role || foldedChoice.role;
  if (delta?.content) foldedChoice.text = (foldedChoice.text ?? '') + delta.content;
  if (delta?.refusal) foldedChoice.refusal = (foldedChoice.refusal ?? '') + delta.refusal;
  for (const fragment of delta?.tool_calls ?? []) {
    if (foldedChoice.calls[fragment.index]) foldedChoice.calls[fragment.index].arguments += fragment.function.arguments;
    else foldedChoice.calls[fragment.index] = call(fragment.function.name, fragment.function.arguments);
  }
}
