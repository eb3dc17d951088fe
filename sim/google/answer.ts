import { content, type Frame, type Framing, terminator } from '../answer/frame.ts';
import { newId } from '../answer/id.ts';
import { samplePicture } from '../answer/picture.ts';
import { type Finish, type Plan, pieces } from '../answer/plan.ts';
import { sign } from '../answer/sign.ts';
import { earlyUsage, twistUsage, writeJson } from '../answer/usage.ts';
import type { Ask } from '../request/ask.ts';

const FINISHES: Readonly<Record<Finish, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  tool: 'STOP',
  refusal: 'SAFETY',
  filter: 'PROHIBITED_CONTENT',
  pause: 'STOP',
};

function finishReason({ finish, directive }: Plan): string {
  return directive.finishReason ?? FINISHES[finish];
}

/** A part of the answer, and the tokens it is made of. */
interface Piece {
  readonly part: object;
  readonly output: number;
  readonly reasoning: number;
}

export function plainGenerate(plan: Plan): string {
  const parts = [
    ...piecesOf({ ...plan, directive: { ...plan.directive, chunkTokens: Number.MAX_SAFE_INTEGER } }),
  ];
  const candidates = Array.from({ length: plan.ask.copies }, (_, index) => ({
    content: { parts: parts.map(({ part }) => part), role: 'model' },
    finishReason: finishReason(plan),
    ...finishMessage(plan),
    index,
  }));
  return `${pretty(response(plan, candidates, usageOf(plan, plan.counts)))}\n`;
}

/**
 * Parts as they arrive: thoughts, text, whole calls. The signature is on the first call, or on the last
 * words, or on an empty part behind them.
 */
function* piecesOf(plan: Plan): Iterable<Piece> {
  const shown = plan.ask.thoughts === 'shown';
  const texts = plan.parts.filter(({ kind }) => kind === 'text').length;
  let said = '';
  if (shown) {
    for (const { text, count } of pieces(plan, plan.reasoning)) {
      yield { part: { text, thought: true }, output: count, reasoning: count };
    }
  }
  // Thoughts nobody sees still were thought: the first visible part counts them.
  let silent = shown ? 0 : plan.reasoning.length;
  let unsigned = needsSignature(plan);
  for (const part of plan.parts) {
    if (part.kind !== 'tool') {
      const words = part.tokens.join('');
      const signs = unsigned && texts === 1 && words !== '' && signsWords(plan);
      let passed = 0;
      for (const { text, count } of pieces(plan, part.tokens)) {
        passed += text.length;
        said += text;
        const signed = signs && passed === words.length ? { thoughtSignature: textSignature(said) } : {};
        yield { part: { text, ...signed }, output: count + silent, reasoning: silent };
        silent = 0;
      }
      if (signs) unsigned = false;
      continue;
    }
    const functionCall = {
      name: part.tool.name,
      args: parseArguments(part.tokens.join('')),
      ...callId(plan.ask),
    };
    const signed = unsigned ? { thoughtSignature: signature() } : {};
    unsigned = false;
    const output = part.tokens.length + part.nameTokens;
    yield { part: { functionCall, ...signed }, output: output + silent, reasoning: silent };
    silent = 0;
  }
  if (plan.ask.images > 0) yield picturePiece(plan);
  if (unsigned) {
    yield { part: { text: '', thoughtSignature: signature() }, output: silent, reasoning: silent };
  }
}

function picturePiece(plan: Plan): Piece {
  const data = samplePicture(plan.random).toString('base64');
  const output = plan.ask.imageTokens;
  return { part: { inlineData: { mimeType: 'image/png', data } }, output, reasoning: 0 };
}

function needsSignature(plan: Plan): boolean {
  const { model } = plan.ask;
  const calls = plan.parts.some((part) => part.kind === 'tool');
  const third = model.vendor === 'google' && model.generation === 3;
  return plan.reasoning.length > 0 || (third && calls);
}

/** A plain answer has the signature on its words; a stream has it there only sometimes. */
function signsWords({ ask, directive, parts }: Plan): boolean {
  const calls = parts.some(({ kind }) => kind === 'tool');
  return !calls && ask.images === 0 && (ask.stream === 'plain' || directive.signature === 'on-words');
}

export const THOUGHT_SEAL = 'google';

/** The signature of words belongs to them: it is refused on any others. */
export function textSeal(words: string): string {
  return `${THOUGHT_SEAL} ${words}`;
}

function textSignature(words: string): string {
  return sign(textSeal(words)).toString('base64');
}

function signature(): string {
  return sign(THOUGHT_SEAL).toString('base64');
}

/** Gemini 3 gives its calls ids. */
function callId(ask: Ask): object {
  return ask.model.vendor === 'google' && ask.model.generation === 3 ? { id: newId(8).toLowerCase() } : {};
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function finishMessage(plan: Plan): object {
  return plan.finish === 'tool' ? { finishMessage: 'Model generated function call(s).' } : {};
}

function response(
  plan: Plan,
  candidates: readonly object[],
  usageMetadata: object | null | undefined,
): object {
  return {
    candidates,
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
    modelVersion: plan.ask.model.snapshot,
    responseId: plan.id,
  };
}

/** Thoughts are not part of the candidates' count, and the total has both (rule V-11). */
function usageOf(plan: Plan, said: { output: number; reasoning: number }): object | null | undefined {
  const { input, cacheRead } = plan.counts;
  const text = said.output - said.reasoning;
  return twistUsage(plan.directive.usage, {
    promptTokenCount: input,
    ...(text > 0 ? { candidatesTokenCount: text } : {}),
    totalTokenCount: input + said.output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
    ...(said.reasoning > 0 ? { thoughtsTokenCount: said.reasoning } : {}),
  });
}

/** Of an early chunk. What the last one leaves out stays as it was told, so only figures it has are wrong. */
function earlyOf(plan: Plan, said: { output: number; reasoning: number }): object | null | undefined {
  const usage = usageOf(plan, said);
  return usage === null || usage === undefined ? usage : earlyUsage(plan.directive.usage, usage);
}

/** `usageMetadata` is on every chunk and cumulative; the last chunk has the finish reason. */
export function framesOfGenerate(plan: Plan, framing: Framing): Iterable<Frame> {
  const write = framing.tail === '' ? compact : pretty;
  return framesWritten(plan, write);
}

function* framesWritten(plan: Plan, write: (value: unknown) => string): Iterable<Frame> {
  const said = { output: 0, reasoning: 0 };
  const { usage: variant } = plan.directive;
  for (let index = 0; index < plan.ask.copies; index++) {
    for (const { part, output, reasoning } of piecesOf(plan)) {
      said.output += output;
      said.reasoning += reasoning;
      const usage = variant === 'late' ? undefined : earlyOf(plan, said);
      const candidate = { content: { parts: [part], role: 'model' }, index };
      const images = 'inlineData' in part ? 1 : 0;
      yield content({ data: write(response(plan, [candidate], usage)), output, reasoning, images });
    }
  }
  const last = Array.from({ length: plan.ask.copies }, (_, index) => ({
    content: { parts: [{ text: '' }], role: 'model' },
    finishReason: finishReason(plan),
    ...finishMessage(plan),
    index,
  }));
  yield terminator(write(response(plan, last, usageOf(plan, plan.counts))));
}

/** Google's own style on SSE: a space behind colons and none behind commas. */
function compact(value: unknown): string {
  return pretty(value).replace(/\n {0,200}/g, '');
}

function pretty(value: unknown): string {
  return writeJson(value, 2);
}
