import type { Capabilities, CapabilityOverrides } from '../../src/kernel/capability.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING } from '../../src/protocol/hub/request.ts';
import type { SpokeRules, Target } from '../../src/protocol/hub/spoke.ts';

/** Plain data for the tests of the hub: a modern model that can do everything, and requests for it. */
const CAPABILITIES: Capabilities = {
  thinking: 'effort',
  thinkingOff: true,
  thinksByDefault: false,
  efforts: ['none', 'low', 'medium', 'high'],
  budgetTokensMin: 1024,
  budgetTokensMax: 32_768,
  sampling: 'all',
  penalties: true,
  stopSequences: true,
  forcedToolChoice: true,
  chatToolsWithThinking: true,
  customTools: true,
  prefill: true,
  systemTurns: true,
  structuredOutput: true,
  structuredOutputWithTools: true,
  toolResultImages: true,
  mediaUrls: true,
  signaturesRequired: false,
  reasoningContent: false,
  cacheMarks: true,
  maxOutputTokens: 64_000,
};

const RULES: SpokeRules = {
  toolName: /^[A-Za-z0-9_-]{1,64}$/,
  toolNameMax: 64,
  callIdMax: 64,
  namespaces: false,
  customTools: false,
  carriesReasoning: true,
};

const REQUEST: HubRequest = {
  client: 'chat',
  stream: false,
  system: [],
  turns: [],
  tools: [],
  hostedTools: [],
  toolChoice: undefined,
  parallelCalls: undefined,
  thinking: NO_THINKING,
  format: { kind: 'text' },
  verbosity: undefined,
  sampling: NO_SAMPLING,
  stop: [],
  maxTokens: undefined,
  answers: 1,
  logprobs: undefined,
  endUser: undefined,
  cacheKey: undefined,
  serviceTier: undefined,
  includeUsage: false,
  echo: new Map(),
};

export function someCapabilities(overrides: CapabilityOverrides = {}): Capabilities {
  return { ...CAPABILITIES, ...overrides };
}

export function someRules(overrides: Partial<SpokeRules> = {}): SpokeRules {
  return { ...RULES, ...overrides };
}

export function someRequest(overrides: Partial<HubRequest> = {}): HubRequest {
  return { ...REQUEST, ...overrides };
}

export function someTarget(overrides: Partial<Target> = {}): Target {
  return {
    protocol: 'messages',
    model: 'vendor-model',
    issuer: 'v1-c1-m1',
    capabilities: someCapabilities(),
    ...overrides,
  };
}
