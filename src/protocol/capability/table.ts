import { CAPABILITIES_CACHED_MAX } from '../../bounds.ts';
import type { Capabilities, CapabilityOverrides, Effort } from '../../kernel/capability.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { ANTHROPIC_ROWS } from './anthropic.ts';
import { COMPATIBLE_ROWS } from './compatible.ts';
import { GOOGLE_ROWS } from './google.ts';
import { plainModelName } from './name.ts';
import { OPENAI_ROWS } from './openai.ts';
import type { CapabilityRow } from './row.ts';

/** The capabilities of an unknown model in OpenAI's protocols: what most compatible vendors support. */
const UNKNOWN: Capabilities = {
  thinking: 'none',
  thinkingOff: false,
  thinksByDefault: false,
  efforts: [],
  // These two apply only if thinking is set by a budget.
  budgetTokensMin: 1_024,
  budgetTokensMax: 24_576,
  sampling: 'all',
  penalties: true,
  stopSequences: true,
  forcedToolChoice: true,
  chatToolsWithThinking: true,
  customTools: false,
  prefill: true,
  systemTurns: true,
  structuredOutput: true,
  structuredOutputWithTools: true,
  toolResultImages: false,
  mediaUrls: true,
  signaturesRequired: false,
  reasoningContent: false,
  maxCompletionTokens: true,
  cacheMarks: false,
  webSearch: false,
  maxOutputTokens: 128_000,
};

interface Family {
  readonly rows: readonly CapabilityRow[];
  readonly unknown: Capabilities;
  /** What the protocol has no fields for, whatever the model can do. */
  readonly unsupported: CapabilityOverrides;
  /** Models for which the vendor searches the web in this protocol. */
  readonly searching: RegExp;
}

const OPENAI: Pick<Family, 'rows' | 'unknown'> = {
  rows: [...OPENAI_ROWS, ...COMPATIBLE_ROWS],
  unknown: UNKNOWN,
};

const FAMILIES: Readonly<Record<TextProtocol, Family>> = {
  chat: { ...OPENAI, unsupported: { toolResultImages: false }, searching: /^gpt-.*-search|^sonar/ },
  responses: {
    ...OPENAI,
    unknown: { ...UNKNOWN, toolResultImages: true },
    unsupported: { penalties: false, stopSequences: false },
    searching: /^(?:gpt-(?:4o|4\.1|[5-9])|o[34])(?!.*-(?:nano|audio|search|realtime))/,
  },
  messages: {
    rows: ANTHROPIC_ROWS,
    // A vendor that imitates Messages imitates the Claude of that time.
    unknown: {
      ...UNKNOWN,
      thinking: 'budget',
      thinkingOff: true,
      systemTurns: false,
      structuredOutput: false,
      toolResultImages: true,
      cacheMarks: true,
      maxOutputTokens: 32_000,
    },
    unsupported: { penalties: false, customTools: false },
    searching: /^claude-(?:3-[57]|[a-z]+-[4-9])/,
  },
  gemini: {
    rows: GOOGLE_ROWS,
    unknown: {
      ...UNKNOWN,
      penalties: false,
      structuredOutputWithTools: false,
      // Only addresses of its own files. The gateway fetches all others.
      mediaUrls: false,
      prefill: false,
      maxOutputTokens: 65_536,
    },
    unsupported: { customTools: false, systemTurns: false, cacheMarks: false },
    searching: /^gemini-(?:[2-9]|flash|pro)(?!.*image)/,
  },
};

const known = new Map<string, Capabilities>();
/**
 * Keyed by identity: a route of the catalogue keeps its overrides in one object as long as it is in force.
 */
const overridden = new WeakMap<CapabilityOverrides, Map<string, Capabilities>>();

/**
 * What a vendor's model accepts: the operator's setting first, then the table, then the protocol's default.
 * Every converted call asks for it, so the result is cached; `overrides` must never change.
 */
export function getCapabilities(
  protocol: TextProtocol,
  vendorModel: string,
  overrides?: CapabilityOverrides,
): Capabilities {
  const cache = overrides === undefined ? known : requireCache(overrides);
  const key = `${protocol} ${vendorModel}`;
  const found = cache.get(key);
  if (found !== undefined) return found;
  const made = look(protocol, vendorModel, overrides ?? {});
  if (cache.size >= CAPABILITIES_CACHED_MAX) cache.clear();
  cache.set(key, made);
  return made;
}

function requireCache(overrides: CapabilityOverrides): Map<string, Capabilities> {
  const found = overridden.get(overrides);
  if (found !== undefined) return found;
  const made = new Map<string, Capabilities>();
  overridden.set(overrides, made);
  return made;
}

function look(protocol: TextProtocol, vendorModel: string, overrides: CapabilityOverrides): Capabilities {
  const { rows, unknown, unsupported, searching } = FAMILIES[protocol];
  const name = plainModelName(vendorModel);
  const row = rows.find(({ match }) => matches(match, name));
  const webSearch = searching.test(name);
  const merged = { ...unknown, ...row?.capabilities, ...unsupported, webSearch, ...overrides };
  const efforts = completeEfforts(merged);
  // If effort is the only setting, `none` among the efforts switches thinking off.
  const thinkingOff =
    overrides.thinkingOff ?? (merged.thinking === 'effort' ? efforts.includes('none') : merged.thinkingOff);
  return Object.freeze({ ...merged, efforts, thinkingOff });
}

function matches(match: string | RegExp, name: string): boolean {
  if (typeof match !== 'string') return match.test(name);
  return name === match || name.startsWith(`${match}-`);
}

const USUAL_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/** An operator who sets only how thinking is controlled gets the common effort levels. */
function completeEfforts({ thinking, efforts }: Capabilities): readonly Effort[] {
  if (thinking === 'none') return [];
  return efforts.length === 0 && thinking !== 'budget' ? USUAL_EFFORTS : efforts;
}
