import { CONVERSATION_VALUE_BYTES_MAX, ITEMS_KEPT_MAX } from '../../../bounds.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { listElements } from '../../bytes/elements.ts';
import { outlineLargeEnds } from '../../bytes/outline.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer, withOutline } from '../../bytes/skim.ts';
import { splice } from '../../bytes/splice.ts';
import { decodeText } from '../../bytes/text.ts';
import type { ByteRange, MemoryFacts } from '../../dialect.ts';

/** A stored answer: its whole input, and the answer as the client saw it. */
export interface StoredResponse {
  readonly input: readonly Buffer[];
  readonly output: readonly Buffer[];
  readonly response: Buffer;
}

const KEPT = compilePaths({ input: 'input', response: 'response' });
const RESPONSE = compilePaths({ id: 'id', output: 'output', previous: 'previous_response_id' });
const ITEM = compilePaths({ id: 'id' });
const keptSkimmer = new Skimmer(KEPT);
const responseSkimmer = new Skimmer(RESPONSE);
const itemSkimmer = new Skimmer(ITEM);

/** What is stored of an answer: the whole under the response's id, and each item under its own. */
export interface PackedResponse {
  readonly id: string;
  /** `undefined` if it is too large to store. */
  readonly value: Buffer | undefined;
  readonly items: ReadonlyMap<string, Buffer>;
}

export interface AnsweredRequest {
  readonly body: Buffer;
  readonly memory: MemoryFacts;
  readonly previousResponseId: string | undefined;
}

/** `undefined` if the answer has no id that a client could refer to. */
export async function packResponse(
  request: AnsweredRequest,
  answer: Buffer,
): Promise<PackedResponse | undefined> {
  return withOutline(answer, await outlineLargeEnds(answer), () => pack(request, answer));
}

function pack(request: AnsweredRequest, answer: Buffer): PackedResponse | undefined {
  if (responseSkimmer.run(answer, 0, answer.length) < 0) return undefined;
  const id = textAt(answer, toRange(responseSkimmer, RESPONSE.slots.id));
  if (id === undefined) return undefined;
  const output = listElements(answer, toRange(responseSkimmer, RESPONSE.slots.output));
  const previous = toRange(responseSkimmer, RESPONSE.slots.previous);
  const response = withPrevious(answer, previous, request.previousResponseId);
  const items = new Map<string, Buffer>();
  for (const { start, end } of output.slice(0, ITEMS_KEPT_MAX)) {
    const itemId = idAt(answer, start, end);
    // A copy, because a view would keep the whole answer in memory.
    if (itemId !== undefined) items.set(itemId, Buffer.from(answer.subarray(start, end)));
  }
  return { id, value: request.memory.isTooMuch ? undefined : keptValue(request, response), items };
}

function keptValue(request: AnsweredRequest, response: readonly Buffer[]): Buffer | undefined {
  const pieces = ['{"input":', ...inputPieces(request), ',"response":', ...response, '}'];
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes > CONVERSATION_VALUE_BYTES_MAX) return undefined;
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** The vendor got the whole conversation, so it does not know that it continues a response. */
function withPrevious(answer: Buffer, at: ByteRange, previousId: string | undefined): readonly Buffer[] {
  if (previousId === undefined || at.start < 0) return [answer];
  return splice(answer, [{ at, bytes: Buffer.from(JSON.stringify(previousId)) }]);
}

/** An input that is a text means one message of the user. */
function inputPieces({ body, memory }: AnsweredRequest): readonly (string | Buffer)[] {
  const input = memory.inputs.at(-1);
  if (input === undefined) return ['[]'];
  const given = body.subarray(input.start, input.end);
  if (given[0] !== QUOTE) return [given];
  return ['[{"type":"message","role":"user","content":', given, '}]'];
}

export function unpackResponse(value: Buffer): StoredResponse | undefined {
  if (keptSkimmer.run(value, 0, value.length) < 0) return undefined;
  const input = listElements(value, toRange(keptSkimmer, KEPT.slots.input));
  const { start, end } = toRange(keptSkimmer, KEPT.slots.response);
  const response = value.subarray(start, end);
  if (responseSkimmer.run(response, 0, response.length) < 0) return undefined;
  const output = listElements(response, toRange(responseSkimmer, RESPONSE.slots.output));
  return { input: cut(value, input), output: cut(response, output), response };
}

/** The id of an item of ours or of a vendor. */
export function findItemId(item: Buffer): string | undefined {
  return idAt(item, 0, item.length);
}

function idAt(bytes: Buffer, start: number, end: number): string | undefined {
  if (itemSkimmer.run(bytes, start, end) < 0) return undefined;
  return textAt(bytes, toRange(itemSkimmer, ITEM.slots.id));
}

function toRange({ starts, ends }: Skimmer, slot: number): ByteRange {
  return { start: starts[slot] as number, end: ends[slot] as number };
}

function textAt(bytes: Buffer, { start, end }: ByteRange): string | undefined {
  if (start < 0 || bytes[start] !== QUOTE) return undefined;
  return decodeText(bytes, start + 1, end - 1) || undefined;
}

function cut(bytes: Buffer, ranges: readonly ByteRange[]): readonly Buffer[] {
  return ranges.map(({ start, end }) => bytes.subarray(start, end));
}
