import { READ_AGAIN_BYTES_MAX, REPORTED_TOKENS_MAX } from '../../bounds.ts';
import { isJsonObject, type JsonBounds, parseJson } from '../../kernel/encoding/json.ts';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { CLOSE_BRACE } from '../bytes/ascii.ts';
import { isOpenBrace, skipSpace } from '../bytes/skim.ts';
import { type Edit, splice } from '../bytes/splice.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { getDialect } from '../registry.ts';
import { compileMembers } from './metered-keys.ts';
import { scanRequest } from './request.ts';

/** Protocols in which a client can ask for the token count of a request (rule I-46). */
export type CountProtocol = Extract<Protocol, 'messages' | 'responses' | 'gemini'>;

/** A vendor answers with a figure and its parts. Anything longer is not a count. */
const ANSWER_BOUNDS: JsonBounds = { bytesMax: 65_536, depthMax: 16 };

/** Google counts a request either as bare contents or whole, in an envelope with either spelling. */
const ENVELOPE = compileMembers({
  camel: ['generateContentRequest', 'object'],
  snake: ['generate_content_request', 'object'],
});

/** Fields that a whole request may have beside its contents, and bare contents may not. */
const WHOLE = compileMembers({
  model: ['model', 'any'],
  systemInstruction: ['systemInstruction', 'any'],
  systemInstructionSnake: ['system_instruction', 'any'],
  tools: ['tools', 'any'],
  toolConfig: ['toolConfig', 'any'],
  toolConfigSnake: ['tool_config', 'any'],
  safetySettings: ['safetySettings', 'any'],
  safetySettingsSnake: ['safety_settings', 'any'],
  generationConfig: ['generationConfig', 'any'],
  generationConfigSnake: ['generation_config', 'any'],
  cachedContent: ['cachedContent', 'any'],
  cachedContentSnake: ['cached_content', 'any'],
});

/** What is counted, in the form of the protocol's own calls. */
export interface CountRequest {
  readonly raw: RawRequest;
  readonly facts: RequestFacts;
  /** It came in Google's envelope, and is sent on in one. */
  readonly enveloped: boolean;
}

export async function readCountRequest(
  protocol: CountProtocol,
  request: RawRequest,
): Promise<CountRequest | Refusal> {
  const inner = protocol === 'gemini' ? await openEnvelope(request.body) : undefined;
  if (isRefusal(inner)) return inner;
  const enveloped = inner !== undefined && inner !== 'none';
  const raw = enveloped ? { ...request, body: inner } : request;
  const facts = await getDialect(protocol).readRequest(raw);
  return isRefusal(facts) ? facts : { raw, facts, enveloped };
}

/** The request in the envelope, if there is one. */
function openEnvelope(body: Buffer): Buffer | 'none' | Refusal | Promise<Buffer | 'none' | Refusal> {
  const { slots } = ENVELOPE;
  return scanRequest(body, ENVELOPE, ({ found }) => {
    const last = (found[slots.camel] ?? found[slots.snake])?.at(-1);
    return last !== undefined && isOpenBrace(body, last.start) ? body.subarray(last.start, last.end) : 'none';
  });
}

/** The body for a vendor of the same protocol: the client's bytes with the vendor's name of the model. */
export async function countBody(
  protocol: CountProtocol,
  { raw, facts, enveloped }: CountRequest,
  forwardModel: string,
): Promise<readonly Buffer[] | Refusal> {
  if (protocol !== 'gemini') return getDialect(protocol).spliceRequest(raw, facts, forwardModel);
  return scanRequest(raw.body, WHOLE, ({ found }) => {
    const bare = !enveloped && found.every((ranges) => ranges === undefined);
    return bare ? [raw.body] : wrapWhole(raw.body, found[WHOLE.slots.model] ?? [], forwardModel);
  });
}

/** A request that Google counts whole must name its model a second time, inside. */
function wrapWhole(body: Buffer, models: readonly ByteRange[], forwardModel: string): readonly Buffer[] {
  const name = JSON.stringify(forwardModel.includes('/') ? forwardModel : `models/${forwardModel}`);
  const edits: Edit[] = models.map((at) => ({ at, bytes: Buffer.from(name) }));
  const open = body.indexOf('{') + 1;
  const empty = body[skipSpace(body, open, body.length)] === CLOSE_BRACE;
  const added = Buffer.from(`"model":${name}${empty ? '' : ','}`);
  if (models.length === 0) edits.push({ at: { start: open, end: open }, bytes: added });
  return [Buffer.from('{"generateContentRequest":'), ...splice(body, edits), Buffer.from('}')];
}

/** Our own count if no vendor of the protocol can be asked. A rough one for a very large body. */
export function countLocally(protocol: CountProtocol, { raw, facts }: CountRequest): number {
  if (raw.body.length > READ_AGAIN_BYTES_MAX) return facts.inputTokensLikely ?? facts.inputTokensEstimate;
  return getDialect(protocol).countInput(raw, facts);
}

/** Whether a vendor's answer is a count. Some relays answer with a page or with a message. */
export function isCount(protocol: CountProtocol, body: Buffer): boolean {
  const parsed = parseJson(body.toString('utf8'), ANSWER_BOUNDS);
  if (parsed.kind !== 'parsed' || !isJsonObject(parsed.value)) return false;
  const tokens = parsed.value[protocol === 'gemini' ? 'totalTokens' : 'input_tokens'];
  return Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= REPORTED_TOKENS_MAX;
}

/** A count of ours in the client's protocol. */
export function writeCount(protocol: CountProtocol, tokens: number): string {
  switch (protocol) {
    case 'messages':
      return JSON.stringify({ input_tokens: tokens });
    case 'responses':
      return JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens });
    case 'gemini': {
      const promptTokensDetails = [{ modality: 'TEXT', tokenCount: tokens }];
      return JSON.stringify({ totalTokens: tokens, promptTokensDetails });
    }
  }
}
