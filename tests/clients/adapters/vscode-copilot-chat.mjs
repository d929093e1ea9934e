/**
 * Adapter for `@vscode/chat-lib`, the parts of Copilot Chat that run outside of VS Code: the functions that read the stream
 * of an endpoint for Chat Completions, such as one with a key of the user.
 */

import fetching from '@vscode/chat-lib/dist/src/_internal/extension/prompt/node/chatMLFetcher.js';
import { ChatFetchResponseType } from '@vscode/chat-lib/dist/src/_internal/platform/chat/common/commonTypes.js';
import endpoint from '@vscode/chat-lib/dist/src/_internal/platform/endpoint/node/chatEndpoint.js';
import { Response } from '@vscode/chat-lib/dist/src/_internal/platform/networking/common/fetcherService.js';
import { TelemetryData } from '@vscode/chat-lib/dist/src/_internal/platform/telemetry/common/telemetryData.js';
import { call, KEY, MESSAGES, MODEL, serve } from './shared/serving.mjs';

/** A service of the editor whose methods do nothing, for logs and telemetry. */
const SILENT = new Proxy({}, { get: () => () => {} });
/** The services that reading an answer needs. */
const SERVICES = ['_telemetryService', '_logService', '_authenticationService', '_chatQuotaService'];

/** Return what sends requests in the editor and reads their answers, with the few services that reading needs. */
function createFetcher() {
  const services = Object.fromEntries(SERVICES.map((name) => [name, SILENT]));
  return Object.assign(Object.create(fetching.ChatMLFetcherImpl.prototype), services);
}

/** Return the answer to a request, as the editor wraps it. */
async function send(job) {
  const body = { model: MODEL, messages: MESSAGES, stream: true, stream_options: { include_usage: true }, n: job.n };
  const { status, statusText, headers, body: stream } = await fetch(`${job.base_url}/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...body, ...(job.tools.length && { tools: job.tools }) }),
  });
  return new Response(status, statusText, headers, stream, 'node-fetch', () => {}, '', '');
}

/** Send a request, and read its answer. Throw the reason that the editor shows if it does not accept the answer. */
async function customEndpoint(job) {
  const fetcher = createFetcher();
  const response = await send(job);
  const telemetry = TelemetryData.createAndMarkAsIssued();
  if (response.status !== 200) throw new Error((await fetcher._handleError(telemetry, response, '')).reason);
  let calls = [];
  let reasoning = null;
  const onDelta = async (_text, _index, delta) => {
    calls = calls.concat(delta.copilotToolCalls ?? []);
    if (delta.thinking?.text) reasoning = (reasoning ?? '') + [delta.thinking.text].flat().join('');
  };
  const chatCompletions = await endpoint.defaultChatResponseProcessor(SILENT, SILENT, response, job.n, onDelta, telemetry);
  const result = await fetcher.processSuccessfulResponse({ chatCompletions }, MESSAGES, {}, {}, '', 0, 0, 0, {}, telemetry);
  // As `OpenAIEndpoint` does, put the error that was sent in a stream in the place of the reason.
  const reason = result.streamError?.message ? JSON.stringify(result.streamError) : result.reason;
  if (result.type !== ChatFetchResponseType.Success) throw new Error(reason);
  const { prompt_tokens, completion_tokens } = result.usage ?? {};
  return {
    text: result.value[0] || null,
    calls: calls.map((toolCall) => call(toolCall.name, toolCall.arguments)),
    usage: result.usage && { prompt_tokens, completion_tokens },
    reasoning,
  };
}

serve({ 'custom-endpoint': customEndpoint });
