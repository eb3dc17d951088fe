import type { Protocol } from '../../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../../kernel/usage.ts';
import { OPEN_BRACE } from '../bytes/ascii.ts';
import { readFigure } from '../bytes/number.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import { slotText } from '../pass-through/object-text.ts';
import { getDialect } from '../registry.ts';

const TREE = compilePaths({
  type: 'result.type',
  message: 'result.message',
  status: 'response.status_code',
  body: 'response.body',
});
const { slots } = TREE;
const skimmer = new Skimmer(TREE);

/** One line of the results of a batch, in either form. */
export interface BatchResult {
  /** The line with the platform's name of the model. */
  readonly pieces: readonly Buffer[];
  /** What the item used; nothing if it failed. */
  readonly usage: Usage;
  /** The vendor did not report the usage, so its output was counted. */
  readonly estimated: boolean;
}

/** Only an item with an answer costs anything. */
export function readResult(line: Buffer, protocol: Protocol, modelId: string): BatchResult {
  const isWhole = skimmer.run(line, 0, line.length) >= 0;
  const slot = findAnswer(line);
  if (!isWhole || slot === undefined) return { pieces: [line], usage: NO_USAGE, estimated: false };
  const start = skimmer.starts[slot] as number;
  const end = skimmer.ends[slot] as number;
  const answer = getDialect(protocol).readResponse(line.subarray(start, end), modelId);
  const pieces = [line.subarray(0, start), ...answer.pieces, line.subarray(end)];
  if (!answer.valid || answer.isError) return { pieces, usage: NO_USAGE, estimated: false };
  if (answer.usage !== undefined) return { pieces, usage: answer.usage, estimated: false };
  const usage = { ...NO_USAGE, outputText: answer.outputTokens(), images: answer.images ?? 0 };
  return { pieces, usage, estimated: true };
}

/** The slot of the item's answer; `undefined` if it failed, was cancelled or expired. */
function findAnswer(line: Buffer): number | undefined {
  if (isObject(line, slots.message)) {
    return slotText(line, skimmer, slots.type) === 'succeeded' ? slots.message : undefined;
  }
  if (!isObject(line, slots.body)) return undefined;
  const start = skimmer.starts[slots.status] as number;
  const status = start < 0 ? undefined : readFigure(line, start, skimmer.ends[slots.status] as number, 999);
  return status !== undefined && status >= 200 && status < 300 ? slots.body : undefined;
}

function isObject(line: Buffer, slot: number): boolean {
  const start = skimmer.starts[slot] as number;
  return start >= 0 && line[start] === OPEN_BRACE;
}
