import { refuseMessages } from '../../../sim/anthropic/validate.ts';
import { refuseGenerate } from '../../../sim/google/validate.ts';
import { findAnthropic, findGoogle, findOpenai, type GoogleModel } from '../../../sim/models.ts';
import { refuseChat } from '../../../sim/openai-chat/validate.ts';
import { RESPONSES_REQUEST } from '../../../sim/openai-responses/shape.ts';
import { refuseResponses } from '../../../sim/openai-responses/validate.ts';
import type { Json } from '../../../sim/request/json.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';

/** Models that the simulated vendors know: of today and of yesterday, lenient ones and strict ones. */
export const MODELS: Readonly<Record<TextProtocol, readonly string[]>> = {
  chat: ['gpt-4.1', 'gpt-5', 'gpt-5.6'],
  responses: ['gpt-4.1', 'gpt-5', 'gpt-5.6'],
  messages: ['claude-sonnet-4-5', 'claude-opus-5', 'claude-sonnet-5-5'],
  gemini: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3-pro'],
};

/** What the strict simulator of a vendor says against a body; nothing when it would answer. */
export function refusedBySimulator(protocol: TextProtocol, model: string, body: Json): string | undefined {
  return replyOf(protocol, model, body)?.body;
}

function replyOf(protocol: TextProtocol, model: string, body: Json): { readonly body: string } | undefined {
  switch (protocol) {
    case 'chat':
      return refuseChat(body, findOpenai(model));
    case 'responses':
      return refuseResponses(body, { model: findOpenai(model), shape: RESPONSES_REQUEST, key: 'k' });
    case 'messages': {
      const about = { purpose: 'generate', version: '2023-06-01', headers: {} } as const;
      return refuseMessages({ body, model: findAnthropic(model), ...about });
    }
    case 'gemini':
      return refuseGenerate(body, findGoogle(model) as GoogleModel, '/v1beta/models/m:generateContent');
  }
}
