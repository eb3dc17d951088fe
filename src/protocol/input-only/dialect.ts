import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { reportedFigure } from '../bytes/number.ts';
import { compilePaths } from '../bytes/paths.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { Skimmer } from '../bytes/skim.ts';
import { insertModel, spliceModel } from '../bytes/splice.ts';
import type { ByteRange, CountedFacts, Dialect, MemberKind, RequestFacts } from '../dialect.ts';
import type { MediaKeys } from '../media/finder.ts';
import { countTexts } from '../meter/input.ts';
import { type InputFacts, inputFacts } from '../meter/input-estimate.ts';
import { compileWords } from '../meter/words.ts';
import { type AnswerShape, readAnswer } from '../pass-through/answer.ts';
import { refuseMissing } from '../pass-through/member-kind.ts';
import { compileMembers, type Member, type MemberTree } from '../pass-through/metered-keys.ts';
import { INPUT_ONLY_RULE, NoStreamReader } from '../pass-through/no-stream.ts';
import { Relay } from '../pass-through/relay.ts';
import { readModel, scanRequest } from '../pass-through/request.ts';
import { encodeImagesError } from '../pass-through/stream-error.ts';

/** What every request without generated text has in common: no output, no images, no history. */
export const INPUT_ONLY = {
  stream: false,
  outputTokensMax: 0,
  isFixed: true,
  answers: 1,
  images: 0,
  holdsEnvelope: false,
  usageInjected: false,
  usageSplice: undefined,
  edit: false,
} as const;

/**
 * A protocol of OpenAI's family that takes a JSON object, is answered with one, never streams, and of which
 * the input is counted. A protocol of this kind is a row, and nothing more.
 */
interface InputOnlyRow {
  readonly protocol: Protocol;
  /** The members of a request that hold its input, and what they may be. The texts in them are counted. */
  readonly input: Readonly<Record<string, readonly [MemberKind, ...MemberKind[]]>>;
  /** Files among the input. */
  readonly media?: MediaKeys;
  /** The request may leave `model` out. */
  readonly hasDefaultModel?: true;
  /** The member that makes an object an answer of this protocol. */
  readonly sign: string;
  /** Where vendors report the input tokens. The first figure that is there counts. */
  readonly reported: readonly string[];
  /** Where vendors report units of another kind. They are counted as output. */
  readonly units?: string;
  /** What is known better than by the number of bytes. `at` finds a member of `input`. */
  estimate?(request: EstimatedRequest): Partial<RequestFacts>;
}

export interface EstimatedRequest {
  readonly body: Buffer;
  /** How many values the body has. */
  readonly values: number;
  /** The usual estimates. */
  readonly input: InputFacts;
  at(member: string): ByteRange | undefined;
}

export function createInputOnlyDialect(row: InputOnlyRow): Dialect {
  const members = Object.keys(row.input);
  const input = Object.entries(row.input).map(([name, kinds]): [string, Member] => [name, [name, ...kinds]]);
  const tree = compileMembers({ model: ['model', 'any'], ...Object.fromEntries(input) });
  const watched = row.media && { media: row.media };
  const words = compileWords({ text: [...members, ...TEXT_KEYS] });
  const shape = toAnswerShape(row);
  return {
    protocol: row.protocol,
    members: tree.members,
    readRequest: ({ body, defaultModel }) =>
      scanRequest(body, tree, (scan) => readFacts(row, { body, scan, tree, defaultModel }), watched),
    spliceRequest: ({ body }, facts, forwardModel) =>
      facts.modelRanges.length === 0
        ? insertModel(body, forwardModel)
        : spliceModel(body, facts, forwardModel),
    readResponse: (body, modelId) => readAnswer(body, shape, modelId),
    relayStream: (framing, _facts, modelId) => new Relay(framing, new NoStreamReader(), modelId),
    countInput: ({ body }, facts) => countAll(countTexts(body, words, facts), facts),
    encodeStreamError: (_framing, error) => encodeImagesError(error),
    keepAlive: () => Buffer.from(': keep-alive\n\n'),
  };
}

/** Keys of texts within the input. */
const TEXT_KEYS = ['text', 'content'];

/** Of texts under other keys at least half as many as their bytes have. */
function countAll(counted: number, { inputTokensLikely = 0 }: CountedFacts): number {
  return Math.max(counted, Math.floor(inputTokensLikely / 2));
}

interface Scanned {
  readonly body: Buffer;
  readonly scan: JsonScan;
  readonly tree: MemberTree<string>;
  readonly defaultModel: string | undefined;
}

function readFacts(row: InputOnlyRow, { body, scan, tree, defaultModel }: Scanned): RequestFacts | Refusal {
  const at = (member: string): readonly ByteRange[] | undefined => scan.found[tree.slots[member] as number];
  const named = at('model');
  const isDefault = row.hasDefaultModel === true && named === undefined && defaultModel !== undefined;
  const model = isDefault ? { model: defaultModel, modelRanges: [] } : readModel(body, named);
  if (isRefusal(model)) return model;
  for (const name of Object.keys(row.input)) {
    const refusal = refuseMissing(body, name, at(name)?.at(-1));
    if (refusal !== undefined) return refusal;
  }
  const input = inputFacts(body, scan, { protocol: row.protocol, model: model.model });
  const known = row.estimate?.({ body, values: scan.values, input, at: (member) => at(member)?.at(-1) });
  return { ...model, ...INPUT_ONLY, ...input, ...known };
}

function toAnswerShape({ sign, reported, units }: InputOnlyRow): AnswerShape {
  const names = [...reported, ...(units === undefined ? [] : [units])];
  const tree = compilePaths(
    Object.fromEntries(['model', 'error', sign, ...names].map((path) => [path, path])),
  );
  const skimmer = new Skimmer(tree);
  const slot = (path: string): number => tree.slots[path] as number;
  const figure = (body: Buffer, path: string): number | undefined =>
    reportedFigure(body, skimmer, slot(path));
  return {
    skimmer,
    model: slot('model'),
    error: slot('error'),
    signs: [slot(sign)],
    words: INPUT_ONLY_RULE.words,
    figures: (body) => {
      const output = units === undefined ? undefined : figure(body, units);
      const input = reported.map((path) => figure(body, path)).find((each) => each !== undefined);
      // A vendor that counts in its own units counts no tokens.
      return { input: input ?? (output === undefined ? undefined : 0), output };
    },
    settle: INPUT_ONLY_RULE.settle,
  };
}
