import { ANSWERS_PER_CALL_MAX } from '../../../bounds.ts';
import type { AnswerError, Choice, HubAnswer } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { findFilledText, listObjects, objectOrEmpty } from '../fields.ts';
import { decodeFinish } from '../finish.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { decodeUsage } from '../usage.ts';
import { type AssistantReader, decodeAssistant } from './assistant.ts';

const EMPTY: Choice = { parts: [], finish: { reason: 'stop' } };
/** The status of an error without one: the vendor failed. */
const STATUS_UNKNOWN = 502;

export function decodeChatAnswer(
  body: JsonObject,
  session: Session,
  figures?: Figures,
): HubAnswer | AnswerError {
  const error = decodeError(body);
  if (error !== undefined) return error;
  const reader: AssistantReader = {
    issuer: session.target.issuer,
    functionCallId: '',
    unsupported: () => {},
  };
  const choices = listObjects(body.choices)
    .slice(0, ANSWERS_PER_CALL_MAX)
    .map((choice) => decodeChoice(choice, reader));
  return {
    id: findFilledText(body.id),
    choices: choices.length === 0 ? [EMPTY] : choices,
    usage: decodeUsage(figures),
    serviceTier: findFilledText(body.service_tier),
  };
}

function decodeChoice(choice: JsonObject, reader: AssistantReader): Choice {
  const parts = decodeAssistant(objectOrEmpty(choice.message), 'message', reader);
  const held = {
    calls: parts.some((part) => part.kind === 'tool-call'),
    refusal: parts.some((part) => part.kind === 'refusal'),
  };
  const logprobs = decodeLogprobs(choice.logprobs);
  return {
    parts,
    finish: decodeFinish(choice.finish_reason, held),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

/**
 * An error in place of an answer, at the top or (OpenRouter) in the first choice. Its code is OpenAI's text
 * or, elsewhere, the status of the vendor behind the vendor.
 */
export function decodeError(body: JsonObject): AnswerError | undefined {
  const error = body.error ?? listObjects(body.choices)[0]?.error ?? undefined;
  if (error === undefined || error === false || error === '') return undefined;
  const fields = objectOrEmpty(error);
  const code = fields.code ?? undefined;
  return {
    status: toStatus(fields.status_code) ?? toStatus(code) ?? STATUS_UNKNOWN,
    code: typeof code === 'number' ? String(code) : findFilledText(code),
    type: findFilledText(fields.type),
    message:
      findFilledText(fields.message) ??
      findFilledText(error) ??
      'The vendor reported an error without words.',
  };
}

function toStatus(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^[45]\d\d$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
    ? status
    : undefined;
}
