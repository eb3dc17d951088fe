import type { Choice, HubAnswer } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { type Part, type ToolCallPart, visibleText } from '../../hub/part.ts';
import { parseObject } from '../fields.ts';
import { encodeFinish } from '../finish.ts';
import { encodeGrounding, listQueries, placeCitations } from '../grounding.ts';
import { encodeLogprobsResult } from '../logprobs.ts';
import { signatureFor } from '../signature.ts';
import { encodeUsage } from '../usage.ts';

export function encodeAnswer(answer: HubAnswer, session: Session): JsonObject {
  return {
    candidates: answer.choices.map((choice, index) => encodeChoice(choice, index, session)),
    usageMetadata: answer.usage === undefined ? undefined : encodeUsage(answer.usage),
    modelVersion: session.modelId,
    responseId: session.callId,
  };
}

function encodeChoice(choice: Choice, index: number, session: Session): JsonObject {
  const visible = choice.parts.flatMap((part) => {
    const encoded = encodeAnswerPart(part, session);
    return encoded === undefined ? [] : [{ part, encoded }];
  });
  const parts = visible.map(({ encoded }) => encoded);
  const malformed = choice.parts.find(
    (part) => part.kind === 'tool-call' && parseArguments(part) === undefined,
  );
  const ending = {
    hasRefusal: choice.parts.some((part) => part.kind === 'refusal'),
    malformedCall: malformed?.kind === 'tool-call' ? malformed.name : undefined,
  };
  return {
    // A candidate without parts makes SDKs drop the whole turn (rule C-60).
    content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
    ...encodeFinish(choice.finish, ending),
    index,
    groundingMetadata: encodeGrounding(
      placeCitations(visible.map(({ part }) => part)),
      choice.parts.flatMap(listQueries),
    ),
    logprobsResult: encodeLogprobsResult(choice.logprobs),
  };
}

/** `undefined` for an empty part, and for a call whose arguments no client could read. */
function encodeAnswerPart(part: Part, session: Session): JsonValue | undefined {
  switch (part.kind) {
    case 'text': {
      const thoughtSignature = signatureFor(part.signatures, session);
      return part.text === '' && thoughtSignature === undefined
        ? undefined
        : { text: part.text, thoughtSignature };
    }
    case 'refusal':
      return part.text === '' ? undefined : { text: part.text };
    case 'reasoning': {
      const thoughtSignature =
        part.signature === undefined ? undefined : signatureFor([part.signature], session);
      if (part.text === '' && thoughtSignature === undefined) return undefined;
      return { text: part.text, thought: true, thoughtSignature };
    }
    case 'tool-call':
      return encodeCall(part, session);
    case 'image':
    case 'audio':
      if (part.source.kind !== 'bytes') return undefined;
      return { inlineData: { mimeType: part.source.mime, data: part.source.base64 } };
    case 'server-tool':
      if (part.protocol === 'gemini') return new RawJson(part.raw);
      return visibleText(part) === '' ? undefined : { text: part.text };
    default:
      return undefined;
  }
}

function encodeCall(part: ToolCallPart, session: Session): JsonObject | undefined {
  const args = parseArguments(part);
  if (args === undefined) return undefined;
  return {
    functionCall: { id: part.id === '' ? undefined : part.id, name: part.name, args },
    thoughtSignature: signatureFor(part.signatures, session),
  };
}

/** The arguments as the vendor wrote them; `undefined` if they are not a JSON object. */
export function parseArguments(call: { arguments: string; custom: boolean }): JsonValue | undefined {
  if (call.custom) return { input: call.arguments };
  if (call.arguments === '' || call.arguments === '{}') return {};
  return parseObject(call.arguments) === undefined ? undefined : new RawJson(call.arguments);
}
