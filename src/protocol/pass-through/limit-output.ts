import { joinPieces } from '../../kernel/async/next-turn.ts';
import type { Capabilities } from '../../kernel/capability.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { CLOSE_BRACE, OPEN_BRACE } from '../bytes/ascii.ts';
import { readFigure } from '../bytes/number.ts';
import { skipSpace } from '../bytes/skim.ts';
import { type Edit, splice } from '../bytes/splice.ts';
import type { ByteRange, RawRequest } from '../dialect.ts';
import type { GeneratingProtocol } from '../hub/protocol.ts';
import { compileMembers, type Member, type MemberTree } from './metered-keys.ts';
import { scanRequest } from './request.ts';

/** Where a protocol limits the length of an answer. */
interface OutputFields {
  /** The objects that contain the limit, in each spelling. Empty: the body itself. */
  readonly holders: readonly string[];
  /** Every field that a vendor may read the limit from. */
  readonly limits: readonly string[];
  /** Thinking budgets, which count inside the limit. */
  readonly budgets: readonly string[];
}

const GEMINI_BUDGETS = ['thinkingConfig', 'thinking_config'].flatMap((config) => [
  `${config}.thinkingBudget`,
  `${config}.thinking_budget`,
]);

const FIELDS: Readonly<Record<GeneratingProtocol, OutputFields>> = {
  chat: {
    holders: [],
    limits: ['max_completion_tokens', 'max_tokens'],
    budgets: ['thinking.budget_tokens', 'reasoning.max_tokens', 'thinking_budget'],
  },
  responses: { holders: [], limits: ['max_output_tokens'], budgets: [] },
  messages: { holders: [], limits: ['max_tokens'], budgets: ['thinking.budget_tokens'] },
  completions: { holders: [], limits: ['max_tokens'], budgets: [] },
  gemini: {
    holders: ['generationConfig', 'generation_config'],
    limits: ['maxOutputTokens', 'max_output_tokens'],
    budgets: GEMINI_BUDGETS,
  },
};

/** The field that a client sets to limit an answer, for messages. */
export const OUTPUT_FIELD: Readonly<Record<GeneratingProtocol, string>> = {
  chat: 'max_tokens',
  responses: 'max_output_tokens',
  messages: 'max_tokens',
  completions: 'max_tokens',
  gemini: 'maxOutputTokens',
};

interface Scanned {
  readonly tree: MemberTree<string>;
  readonly holders: readonly string[];
  readonly limits: readonly string[];
  readonly budgets: readonly string[];
}

const scanned = new Map<GeneratingProtocol, Scanned>();

/** A lower limit for the length of each answer, and how the vendor's model takes it. */
export interface OutputLimit {
  readonly tokens: number;
  readonly capabilities: Capabilities;
}

/**
 * The request with a lower limit for the length of each answer. It replaces every limit in the request, or is
 * inserted. `undefined`: the thinking budget does not fit into the limit.
 */
export async function limitOutput(
  protocol: GeneratingProtocol,
  request: RawRequest,
  limit: OutputLimit,
): Promise<RawRequest | undefined> {
  const fields = compileFields(protocol);
  const scan = await scanRequest(request.body, fields.tree, ({ found }) => ({ found }));
  if (isRefusal(scan)) return undefined;
  const listRanges = (paths: readonly string[]): readonly ByteRange[] =>
    paths.flatMap((path) => scan.found[fields.tree.slots[path] as number] ?? []);
  const edits = editsFor(request.body, limit.tokens, {
    field: fieldFor(protocol, limit.capabilities),
    holder: fields.holders[0],
    holders: listRanges(fields.holders),
    limits: listRanges(fields.limits),
    budgets: listRanges(fields.budgets),
  });
  return edits && { ...request, body: await joinPieces(splice(request.body, edits)) };
}

function compileFields(protocol: GeneratingProtocol): Scanned {
  let known = scanned.get(protocol);
  if (known === undefined) {
    const { holders, limits, budgets } = FIELDS[protocol];
    const within = (names: readonly string[]): readonly string[] =>
      holders.length === 0 ? names : holders.flatMap((holder) => names.map((name) => `${holder}.${name}`));
    const paths = { holders, limits: within(limits), budgets: within(budgets) };
    const members = [
      ...holders.map((path): Member => [path, 'object']),
      ...[...paths.limits, ...paths.budgets].map((path): Member => [path, 'limit']),
    ];
    known = {
      tree: compileMembers(Object.fromEntries(members.map((member) => [member[0], member]))),
      ...paths,
    };
    scanned.set(protocol, known);
  }
  return known;
}

/** OpenAI's reasoning models refuse the older name; compatible vendors may know no other. */
function fieldFor(protocol: GeneratingProtocol, { sampling }: Capabilities): string {
  return protocol === 'chat' && sampling === 'none' ? 'max_completion_tokens' : OUTPUT_FIELD[protocol];
}

interface Places {
  readonly field: string;
  readonly holder: string | undefined;
  readonly holders: readonly ByteRange[];
  readonly limits: readonly ByteRange[];
  readonly budgets: readonly ByteRange[];
}

function editsFor(body: Buffer, tokens: number, places: Places): readonly Edit[] | undefined {
  const { field, holder, holders, limits, budgets } = places;
  const isAbove = ({ start, end }: ByteRange): boolean =>
    (readFigure(body, start, end, Number.MAX_SAFE_INTEGER) ?? 0) >= tokens;
  if (budgets.some(isAbove)) return undefined;
  const edits: Edit[] = limits.map((at) => ({ at, bytes: Buffer.from(String(tokens)) }));
  const pair = `"${field}":${tokens}`;
  for (const range of holders) {
    const isInside = ({ start, end }: ByteRange): boolean => start > range.start && end <= range.end;
    if (!limits.some(isInside)) edits.push(insertInto(body, range, pair));
  }
  if (edits.length === 0) {
    const top = skipSpace(body, 0, body.length);
    edits.push(insertBehind(body, top, holder === undefined ? pair : `"${holder}":{${pair}}`));
  }
  return edits;
}

/** A value that is not an object contains nothing: null, or something that the vendor rejects anyway. */
function insertInto(body: Buffer, range: ByteRange, pair: string): Edit {
  if (body[range.start] !== OPEN_BRACE) return { at: range, bytes: Buffer.from(`{${pair}}`) };
  return insertBehind(body, range.start, pair);
}

function insertBehind(body: Buffer, brace: number, pair: string): Edit {
  const inside = brace + 1;
  const isEmpty = body[skipSpace(body, inside, body.length)] === CLOSE_BRACE;
  return { at: { start: inside, end: inside }, bytes: Buffer.from(isEmpty ? pair : `${pair},`) };
}
