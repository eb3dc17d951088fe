import {
  type Capabilities,
  type CapabilityOverrides,
  EFFORTS,
  type Effort,
} from '../../kernel/capability.ts';
import { CAPABILITY_KEYS } from '../capability-keys.ts';
import {
  boolean,
  choice,
  type Fields,
  integer,
  list,
  object,
  optional,
  type Reader,
  report,
} from './reader.ts';
import { INTEGER_MAX } from './shape-value.ts';

const tokens = integer(1, INTEGER_MAX);

/** In any order, none twice; kept lowest first. */
const efforts: Reader<readonly Effort[]> = (place) => {
  const found = list(choice(...EFFORTS), EFFORTS.length)(place);
  if (new Set(found).size !== found.length) return report(place, 'must name none twice', []);
  return EFFORTS.filter((effort) => found.includes(effort));
};

const READERS: { readonly [Name in keyof Capabilities]-?: Reader<Capabilities[Name]> } = {
  thinking: choice('none', 'effort', 'adaptive', 'budget', 'level'),
  thinkingOff: boolean,
  thinksByDefault: boolean,
  efforts,
  budgetTokensMin: integer(0, INTEGER_MAX),
  budgetTokensMax: tokens,
  sampling: choice('all', 'one-of', 'none'),
  penalties: boolean,
  stopSequences: boolean,
  forcedToolChoice: boolean,
  chatToolsWithThinking: boolean,
  customTools: boolean,
  prefill: boolean,
  systemTurns: boolean,
  structuredOutput: boolean,
  structuredOutputWithTools: boolean,
  toolResultImages: boolean,
  mediaUrls: boolean,
  signaturesRequired: boolean,
  reasoningContent: boolean,
  maxCompletionTokens: boolean,
  cacheMarks: boolean,
  webSearch: boolean,
  maxOutputTokens: tokens,
};

type Spoken = { readonly [Name in keyof Capabilities]: Capabilities[Name] | undefined };

const rawCapabilities = object<Spoken>(
  Object.fromEntries(
    Object.entries(READERS).map(([name, read]) => {
      const key = CAPABILITY_KEYS[name as keyof Capabilities];
      return [name, optional<unknown>(key, read, undefined)];
    }),
  ) as Fields<Spoken>,
);

/** Only the capabilities that the file has; undefined for an empty map. */
export const capabilitiesShape: Reader<CapabilityOverrides | undefined> = (place) => {
  const spoken = rawCapabilities(place);
  const { budgetTokensMin = 0, budgetTokensMax = INTEGER_MAX } = spoken;
  if (budgetTokensMin > budgetTokensMax)
    report(place, 'budget_tokens_min must not be above budget_tokens_max');
  const said = Object.entries(spoken).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : (Object.fromEntries(said) as CapabilityOverrides);
};
