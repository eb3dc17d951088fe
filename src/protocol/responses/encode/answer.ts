import type { Choice, HubAnswer, Logprob } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { type Part, type ServerToolPart, visibleText } from '../../hub/part.ts';
import { listTypedTools } from '../typed-tools.ts';
import {
  callItem,
  callPrefix,
  imageItem,
  isNative,
  itemId,
  messageItem,
  reasoningItem,
  refusalContent,
  sealSignature,
  searchItem,
  textContent,
} from './output-item.ts';
import { type Outcome, responseObject, toOutcome } from './response-object.ts';

export function encodeAnswer(answer: HubAnswer, session: Session): JsonObject {
  // The client cannot request more than one.
  const choice: Choice = answer.choices[0] ?? { parts: [], finish: { reason: 'stop' } };
  const parts = withRefusal(choice);
  const outcome = toOutcome(choice.finish, { refusal: hasRefusal(parts) });
  return responseObject(session, {
    ...outcome,
    output: encodeOutput(parts, session, { outcome, logprobs: choice.logprobs }),
    usage: answer.usage,
    // Anthropic's tiers have the same names but other meanings.
    serviceTier: session.target.protocol === 'messages' ? undefined : answer.serviceTier,
  });
}

/** If a vendor refused with a reason, the reason becomes the model's text. */
function withRefusal({ parts, finish }: Choice): readonly Part[] {
  if (finish.reason !== 'refusal' || finish.message === undefined || hasRefusal(parts)) return parts;
  return [...parts, { kind: 'refusal', text: finish.message }];
}

function hasRefusal(parts: readonly Part[]): boolean {
  return parts.some((part) => part.kind === 'refusal');
}

interface Ending {
  readonly outcome: Outcome;
  readonly logprobs: readonly Logprob[] | undefined;
}

/** Consecutive text is one message; everything else is an item of its own. */
function encodeOutput(parts: readonly Part[], session: Session, ending: Ending): readonly JsonValue[] {
  const items: JsonValue[] = [];
  const typed = listTypedTools(session.request);
  let content: JsonObject[] = [];
  let { logprobs } = ending;
  const flush = (status: Outcome['status']): void => {
    if (content.length > 0) items.push(messageItem(itemId('msg', session, items.length), content, status));
    content = [];
  };
  for (const part of parts) {
    const words = toContent(part, logprobs);
    if (words !== undefined) {
      content.push(words);
      if (part.kind === 'text') logprobs = undefined;
      continue;
    }
    if (part.kind === 'reasoning' && part.text === '' && part.signature === undefined) continue;
    if (part.kind === 'server-tool' && !isItem(part)) continue;
    flush('completed');
    if (part.kind === 'tool-call') {
      const tool = typed.get(part.name);
      const id = itemId(callPrefix(part, tool), session, items.length);
      items.push(callItem({ id, head: part, text: part.arguments, typed: tool }, 'completed'));
    } else items.push(...encodeItem(part, session, items.length));
  }
  flush(ending.outcome.status);
  return items;
}

function toContent(part: Part, logprobs: readonly Logprob[] | undefined): JsonObject | undefined {
  if (part.kind === 'text') return textContent({ ...part, logprobs });
  if (part.kind === 'refusal') return refusalContent(part.text);
  const isForeign = part.kind === 'server-tool' && part.protocol !== 'responses' && visibleText(part) !== '';
  return isForeign ? textContent({ text: part.text }) : undefined;
}

/** Search results and tools without text are not items. */
function isItem({ protocol, search }: ServerToolPart): boolean {
  return protocol === 'responses' || (search !== undefined && search.queries.length > 0);
}

function encodeItem(part: Part, session: Session, index: number): readonly JsonValue[] {
  switch (part.kind) {
    case 'reasoning': {
      const { signature, text } = part;
      const native = signature !== undefined && isNative(signature, session) ? signature.itemId : undefined;
      const id = native ?? itemId('rs', session, index);
      return [
        reasoningItem(id, text, signature === undefined ? undefined : sealSignature(signature, session, id)),
      ];
    }
    case 'image':
      if (part.source.kind !== 'bytes') return [];
      return [imageItem(itemId('ig', session, index), part.source.mime, part.source.base64)];
    case 'server-tool':
      if (part.protocol === 'responses') return [new RawJson(part.raw)];
      return part.search === undefined ? [] : [searchItem(itemId('ws', session, index), part.search)];
    case 'opaque':
      return part.protocol === 'responses' ? [new RawJson(part.raw)] : [];
    default:
      return [];
  }
}
