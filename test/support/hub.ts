import type { Capabilities, CapabilityOverrides } from '../../src/kernel/capability.ts';
import type { HubUsage } from '../../src/protocol/hub/answer.ts';
import type { CodecRules, Session, Target } from '../../src/protocol/hub/codec.ts';
import type { ToolCallPart } from '../../src/protocol/hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING } from '../../src/protocol/hub/request.ts';
import type { Signature } from '../../src/protocol/hub/signature.ts';

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
  maxCompletionTokens: true,
  cacheMarks: true,
  webSearch: true,
  maxOutputTokens: 64_000,
};

const RULES: CodecRules = {
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
  vendorTools: [],
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
  metadata: undefined,
  cacheKey: undefined,
  serviceTier: undefined,
  includeUsage: false,
  echo: new Map(),
};

export function someCapabilities(overrides: CapabilityOverrides = {}): Capabilities {
  return { ...CAPABILITIES, ...overrides };
}

export function someRules(overrides: Partial<CodecRules> = {}): CodecRules {
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

export function someSession(overrides: Partial<Session> = {}): Session {
  return {
    request: someRequest(),
    target: someTarget(),
    modelId: 'platform-model',
    callId: 'abc123',
    createdAtS: 1_700_000_000,
    ...overrides,
  };
}

export function someUsage(overrides: Partial<HubUsage> = {}): HubUsage {
  return {
    inputFresh: 10,
    cacheRead: 0,
    cacheWrite: 0,
    outputText: 7,
    outputReasoning: 3,
    images: 0,
    videos: 0,
    cacheWriteLong: 0,
    toolPrompt: 0,
    ...overrides,
  };
}

export function someCall(id: string, overrides: Partial<ToolCallPart> = {}): ToolCallPart {
  return { kind: 'tool-call', id, name: 'look', arguments: '{"q":1}', custom: false, ...overrides };
}

/** Of the vendor that `someTarget` names. */
export function someSignature(value: string, overrides: Partial<Signature> = {}): Signature {
  return { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value, ...overrides };
}
