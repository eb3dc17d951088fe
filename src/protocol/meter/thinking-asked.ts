import { READ_AGAIN_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { compilePaths } from '../bytes/paths.ts';
import { isOpenBrace, Skimmer } from '../bytes/skim.ts';

/** Where a request sets thinking. `OFF` has the values that switch it off. */
const PATHS: Readonly<Record<Protocol, Readonly<Record<string, string>>>> = {
  chat: {
    effort: 'reasoning_effort',
    reasoningEffort: 'reasoning.effort',
    thinking: 'thinking.type',
    enabled: 'enable_thinking',
  },
  responses: { effort: 'reasoning.effort' },
  messages: { thinking: 'thinking.type', effort: 'output_config.effort' },
  gemini: {
    budget: 'generationConfig.thinkingConfig.thinkingBudget',
    level: 'generationConfig.thinkingConfig.thinkingLevel',
    budgetSnake: 'generation_config.thinking_config.thinking_budget',
    levelSnake: 'generation_config.thinking_config.thinking_level',
  },
  images: {},
  embeddings: {},
  moderations: {},
  rerank: {},
  completions: {},
  speech: {},
  transcriptions: {},
  videos: {},
  'gemini-embeddings': {},
};

const OFF: ReadonlySet<string> = new Set(['"none"', '"disabled"', 'false', '0', 'null']);
/** No value for an effort, a level or a budget is longer. */
const VALUE_BYTES_MAX = 32;

const SKIMMERS = new Map(
  Object.entries(PATHS).map(([protocol, paths]) => [protocol, new Skimmer(compilePaths(paths))]),
);

export type ThinkingAsked = 'on' | 'off' | 'unset';

/**
 * What a request to a vendor sets about thinking. A request that is too long to be searched counts as unset.
 */
export function thinkingAsked(protocol: Protocol, pieces: readonly Buffer[]): ThinkingAsked {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const skimmer = SKIMMERS.get(protocol);
  if (length > READ_AGAIN_BYTES_MAX || skimmer === undefined) return 'unset';
  const body = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  if (!isOpenBrace(body, 0) || skimmer.run(body, 0, body.length) < 0) return 'unset';
  let asked: ThinkingAsked = 'unset';
  for (const [slot, start] of skimmer.starts.entries()) {
    if (start < 0) continue;
    const end = skimmer.ends[slot] as number;
    const value = body.toString('latin1', start, Math.min(end, start + VALUE_BYTES_MAX)).toLowerCase();
    if (!OFF.has(value)) return 'on';
    asked = 'off';
  }
  return asked;
}
