import type { AnswerError, HubAnswer } from '../../hub/answer.ts';
import { isArray, isObject, type JsonObject } from '../../hub/content/json.ts';
import type { Part } from '../../hub/part.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { decodeCitations } from '../citations.ts';
import { decodeError } from '../errors.ts';
import { findText, rawObject } from '../fields.ts';
import { decodeFinish } from '../finish.ts';
import { decodeUsage } from '../usage.ts';
import { vendorReasoning } from './reasoning.ts';
import { serverTool } from './server-text.ts';

/** Decodes a vendor's plain answer leniently, because it was paid for in any case. */
export function decodeAnswer(
  body: JsonObject,
  issuer: string,
  figures: Figures = {},
): HubAnswer | AnswerError {
  if (body.type === 'error' || (isObject(body.error) && !isArray(body.content))) return decodeError(body);
  const blocks = isArray(body.content) ? body.content.filter(isObject) : [];
  const parts = blocks.flatMap((block) => decodeBlock(block, issuer));
  const isCalled = parts.some(({ kind }) => kind === 'tool-call');
  return {
    id: findText(body.id),
    choices: [{ parts, finish: decodeFinish(body, isCalled ? 'called' : 'not-called') }],
    usage: isObject(body.usage) ? decodeUsage(figures.shown ?? figures) : undefined,
    serviceTier: isObject(body.usage) ? findText(body.usage.service_tier) : undefined,
  };
}

function decodeBlock(block: JsonObject, issuer: string): readonly Part[] {
  switch (block.type) {
    case 'text': {
      const text = findText(block.text) ?? '';
      const citations = decodeCitations(block.citations, text);
      return [{ kind: 'text', text, ...(citations.length === 0 ? {} : { citations }) }];
    }
    case 'thinking':
    case 'redacted_thinking':
      return vendorReasoning(block, issuer);
    case 'tool_use':
      return [
        {
          kind: 'tool-call',
          id: findText(block.id) ?? '',
          name: findText(block.name) ?? '',
          arguments: rawObject(block.input) ?? '{}',
          custom: false,
        },
      ];
    case 'fallback':
      // A mark where another model took over, which is the answer's model.
      return [];
    default:
      return [serverTool(block)];
  }
}
