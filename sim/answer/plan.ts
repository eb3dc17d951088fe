import { createHash } from 'node:crypto';
import { type Random, seededRandom } from '../../src/kernel/random.ts';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { OUTPUT_TOKENS_MAX } from '../bounds.ts';
import type { Ask, AskedTool } from '../request/ask.ts';
import type { Directive } from '../request/directive.ts';
import { strings } from '../request/json.ts';
import type { Said } from '../truth.ts';
import { newId } from './id.ts';
import { sampleJson } from './sample.ts';
import { countTokens, splitTokens } from './tokens.ts';
import { drawTokens } from './words.ts';

/** Everything an answer will say, decided before the first byte, so that the truth is known in advance. */
export interface Plan {
  readonly id: string;
  readonly ask: Ask;
  readonly directive: Directive;
  readonly random: Random;
  readonly createdSeconds: number;
  /** One token each. */
  readonly reasoning: readonly string[];
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly stopSequence: string | undefined;
  readonly counts: Counts;
}

export type Part =
  | { readonly kind: 'text' | 'refusal'; readonly tokens: readonly string[] }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly tool: AskedTool;
      readonly nameTokens: number;
      /** The JSON of the arguments, or the free text of a custom tool, in pieces of one token. */
      readonly tokens: readonly string[];
    };

export type ToolPart = Part & { readonly kind: 'tool' };
export type Finish = 'stop' | 'stop-sequence' | 'length' | 'tool' | 'refusal' | 'filter' | 'pause';

/** Input includes what was read from and written to the cache; output includes reasoning. */
export interface Counts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

const REASONING_TOKENS_DEFAULT = 12;
const ANSWER_TOKENS_MIN = 24;
const ANSWER_TOKENS_SPREAD = 13;
const REFUSAL_TOKENS_DEFAULT = 8;

/** What the answer says, in no protocol's words. */
export function saidBy({ parts, reasoning, finish }: Plan): Said {
  const texts = (kind: 'text' | 'refusal'): string =>
    parts.flatMap((part) => (part.kind === kind ? part.tokens : [])).join('');
  const calls = parts.filter((part) => part.kind === 'tool');
  return {
    text: texts('text'),
    refusal: texts('refusal'),
    reasoning: reasoning.join(''),
    calls: calls.map(({ id, tool, tokens }) => ({ id, name: tool.name, arguments: tokens.join('') })),
    finish,
  };
}

export function makePlan(ask: Ask, directive: Directive, clock: Clock, id: string): Plan {
  const random = seededRandom(directive.seed ?? hashSeed(ask));
  const reasoning = drawTokens(random, reasoningCount(ask, directive), 'plain');
  const wanted = chooseParts(ask, directive, random);
  const stopped = stopAt(wanted, ask.stops);
  const asked = directive.outputBound === 'kept' ? ask.outputTokensMax : undefined;
  const limit = Math.min(asked ?? OUTPUT_TOKENS_MAX, OUTPUT_TOKENS_MAX);
  const kept = limitTokens(reasoning, stopped.parts, limit);
  const cut = kept.cut === 'cut';
  const finish = cut ? 'length' : (stopped.finish ?? finishOf(kept.parts, directive));
  const said = kept.parts.reduce((sum, part) => sum + partTokens(part), 0);
  const cacheRead = Math.min(directive.cached, ask.inputTokens);
  return {
    id,
    ask,
    directive,
    random,
    createdSeconds: Math.floor(clock.now() / 1000),
    reasoning: kept.reasoning,
    parts: kept.parts,
    finish,
    stopSequence: cut ? undefined : stopped.sequence,
    counts: {
      input: ask.inputTokens,
      cacheRead,
      cacheWrite: Math.min(directive.cacheWrite, ask.inputTokens - cacheRead),
      output: ask.copies * (kept.reasoning.length + said) + ask.images * ask.imageTokens,
      reasoning: ask.copies * kept.reasoning.length,
    },
  };
}

export function partTokens(part: Part): number {
  return part.tokens.length + (part.kind === 'tool' ? part.nameTokens : 0);
}

/** Tokens in groups of the size the directive asks for: the pieces of a stream. */
export function pieces(plan: Plan, tokens: readonly string[]): readonly { text: string; count: number }[] {
  const size = plan.directive.chunkTokens;
  const made: { text: string; count: number }[] = [];
  for (let start = 0; start < tokens.length; start += size) {
    const group = tokens.slice(start, start + size);
    made.push({ text: group.join(''), count: group.length });
  }
  return made;
}

function hashSeed(ask: Ask): number {
  return createHash('sha256').update(ask.model.name).update(ask.text).digest().readUInt32BE(0);
}

function reasoningCount(ask: Ask, directive: Directive): number {
  if (ask.thinking === 'never') return 0;
  return directive.thinking ?? (ask.thinking === 'asked' ? REASONING_TOKENS_DEFAULT : 0);
}

/** The models whose answers are words. */
const SPEAKERS: ReadonlySet<string> = new Set(['chat', 'reasoning', 'completion', 'transcription']);

/** Models of pictures, vectors, verdicts and ranks. */
function saysNothing(model: Ask['model']): boolean {
  if (model.vendor === 'openai') return !SPEAKERS.has(model.kind);
  return model.vendor === 'google' && model.output === 'vector';
}

function chooseParts(ask: Ask, directive: Directive, random: Random): readonly Part[] {
  const { ending } = directive;
  if (saysNothing(ask.model)) return [];
  if (ending === 'refuse') {
    const tokens = drawTokens(random, directive.tokens ?? REFUSAL_TOKENS_DEFAULT, directive.unicode);
    return [{ kind: 'refusal', tokens }];
  }
  const calls = chooseTools(ask, directive).map((tool) => toolPart(tool, directive, random));
  if (calls.length > 0) return calls;
  if (ask.format !== undefined && ending === undefined) {
    return [{ kind: 'text', tokens: splitTokens(JSON.stringify(sampleJson(objectOf(ask.format), random))) }];
  }
  const count = directive.tokens ?? ANSWER_TOKENS_MIN + Math.floor(random.unit() * ANSWER_TOKENS_SPREAD);
  return [{ kind: 'text', tokens: drawTokens(random, count, directive.unicode) }];
}

/** `json_object` has no schema: the answer is still an object. */
function objectOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.keys(schema).length === 0 ? { properties: { answer: { type: 'string' } } } : schema;
}

function chooseTools(ask: Ask, directive: Directive): readonly AskedTool[] {
  const [first] = ask.tools;
  if (first === undefined || ask.choice === 'none' || ask.toolRounds >= directive.steps) return [];
  if (typeof ask.choice === 'object') {
    const { name } = ask.choice;
    return [ask.tools.find((tool) => tool.name === name) ?? first];
  }
  const named = directive.tools.map((name) => ask.tools.find((tool) => isNamed(tool, name)) ?? first);
  if (named.length === 0 && ask.choice === 'required') return [first];
  return ask.parallel === 'one' ? named.slice(0, 1) : named;
}

/** Where a dialect has no namespaces, a gateway puts them before the name. */
function isNamed(tool: AskedTool, name: string): boolean {
  return tool.name === name || tool.name.endsWith(`__${name}`);
}

function toolPart(tool: AskedTool, directive: Directive, random: Random): Part {
  const { callArguments } = directive;
  const input = callArguments === undefined ? madeUpInput(tool, random) : givenInput(tool, callArguments);
  return {
    kind: 'tool',
    id: newId(24),
    tool,
    nameTokens: countTokens(tool.name),
    tokens: splitTokens(input),
  };
}

/** Free text is a function's first required argument: so a model uses a custom tool that was wrapped. */
function givenInput(tool: AskedTool, text: string): string {
  const [required] = strings(tool.schema.required);
  if (tool.kind === 'custom' || text.startsWith('{') || required === undefined) return text;
  return JSON.stringify({ [required]: text });
}

function madeUpInput(tool: AskedTool, random: Random): string {
  if (tool.kind === 'custom') return drawTokens(random, 6, 'plain').join('');
  return JSON.stringify(sampleJson(objectSchema(tool.schema), random));
}

/** Arguments are an object even when the tool has no schema at all. */
function objectSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: 'object', ...schema };
}

function stopAt(
  parts: readonly Part[],
  stops: readonly string[],
): { parts: readonly Part[]; finish?: Finish; sequence?: string } {
  const [part] = parts;
  if (stops.length === 0 || part === undefined || part.kind !== 'text') return { parts };
  let said = '';
  for (const [index, token] of part.tokens.entries()) {
    said += token;
    const sequence = stops.find((stop) => stop !== '' && said.includes(stop));
    if (sequence === undefined) continue;
    const tokens = part.tokens.slice(0, index);
    return { parts: [{ kind: 'text', tokens }], finish: 'stop-sequence', sequence };
  }
  return { parts };
}

function limitTokens(
  reasoning: readonly string[],
  parts: readonly Part[],
  limit: number,
): { reasoning: readonly string[]; parts: readonly Part[]; cut: 'cut' | 'whole' } {
  let left = limit - reasoning.length;
  if (left < 0) return { reasoning: reasoning.slice(0, limit), parts: [], cut: 'cut' };
  const kept: Part[] = [];
  for (const part of parts) {
    const size = partTokens(part);
    if (size <= left) {
      kept.push(part);
      left -= size;
      continue;
    }
    const room = part.kind === 'tool' ? left - part.nameTokens : left;
    if (room >= 0) kept.push({ ...part, tokens: part.tokens.slice(0, room) });
    return { reasoning, parts: kept, cut: 'cut' };
  }
  return { reasoning, parts: kept, cut: 'whole' };
}

function finishOf(parts: readonly Part[], directive: Directive): Finish {
  if (directive.ending === 'refuse') return 'refusal';
  if (directive.ending !== undefined) return directive.ending;
  return parts.some((part) => part.kind === 'tool') ? 'tool' : 'stop';
}
