import { QUOTE } from '../bytes/ascii.ts';
import { compilePaths } from '../bytes/paths.ts';
import { Skimmer } from '../bytes/skim.ts';
import { quoteModel, splice } from '../bytes/splice.ts';

const TREE = compilePaths({ model: 'body.model' });
const skimmer = new Skimmer(TREE);

/** A line of a file of requests as its owner wrote it: with the platform's name of the model. */
export function readInputLine(line: Buffer, modelId: string): readonly Buffer[] {
  const isWhole = skimmer.run(line, 0, line.length) >= 0;
  const start = skimmer.starts[TREE.slots.model] as number;
  if (!isWhole || start < 0 || line[start] !== QUOTE) return [line];
  const at = { start, end: skimmer.ends[TREE.slots.model] as number };
  return splice(line, [{ at, bytes: quoteModel(modelId) }]);
}
