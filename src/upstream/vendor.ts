import type { IncomingHttpHeaders } from 'node:http';
import { type CloudSecret, readCloudSecret } from '../catalog/cloud.ts';
import type { Credential, Route, Vendor } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { VERSION } from '../kernel/version.ts';
import { getCloudAdapter } from './cloud/adapters.ts';
import type { AllowedNetwork, CloudCall, VendorAction } from './contract.ts';

export interface VendorCall {
  readonly route: Pick<Route, 'vendor' | 'credential' | 'forwardModelId'>;
  /** The protocol of the vendor's side. */
  readonly protocol: Protocol;
  readonly action: VendorAction;
  /** The client's headers if the protocol is the same; `{}` if the call is converted. */
  readonly clientHeaders: IncomingHttpHeaders;
  /** Absent for a request without a body. */
  readonly contentType?: string;
  /** What follows the path of the protocol: an object, or a part of it. */
  readonly below?: string;
  /** The query, without a question mark. It contains nothing of the client's query. */
  readonly query: string;
}

/** JSON is UTF-8 by definition, and its type has no parameters. */
export const VENDOR_JSON = 'application/json';

export interface VendorAddress {
  readonly origin: string;
  readonly reach: AllowedNetwork;
  readonly path: string;
  /** Flat: name, value, name, value. */
  readonly headers: string[];
  readonly cloud?: CloudCall;
}

/** The addresses of a family of protocols, and its headers. */
interface Family {
  /** The part of the path that a base address may have or lack. It is never doubled. */
  readonly prefix: string;
  credential(secret: string): readonly [string, string];
  /** Headers of the client that are forwarded, by name (rule I-23). */
  readonly forward: readonly string[];
  readonly forwardPrefix: string | undefined;
  /** Forwarded only with a BYOK key, because they name things inside the account of the key. */
  readonly forwardOwned: readonly string[];
}

const OPENAI: Family = {
  prefix: '',
  credential: (secret) => ['authorization', `Bearer ${secret}`],
  forward: ['openai-beta', 'x-client-request-id'],
  forwardPrefix: undefined,
  // Under a key that many accounts share, a vendor that replays by it could answer one with another's text.
  forwardOwned: ['idempotency-key'],
};

const ANTHROPIC: Family = {
  prefix: '/v1',
  credential: (secret) => ['x-api-key', secret],
  forward: [
    'anthropic-beta',
    'x-claude-code-session-id',
    'x-claude-code-agent-id',
    'x-claude-code-parent-agent-id',
  ],
  forwardPrefix: 'x-stainless-',
  forwardOwned: ['anthropic-workspace-id', 'anthropic-user-profile-id'],
};

const GOOGLE: Family = {
  prefix: '/v1beta',
  credential: (secret) => ['x-goog-api-key', secret],
  forward: ['x-goog-api-client', 'x-server-timeout'],
  forwardPrefix: undefined,
  forwardOwned: [],
};

const FAMILIES: Readonly<Record<Protocol, Family>> = {
  chat: OPENAI,
  responses: OPENAI,
  images: OPENAI,
  messages: ANTHROPIC,
  gemini: GOOGLE,
  embeddings: OPENAI,
  'gemini-embeddings': GOOGLE,
  moderations: OPENAI,
  rerank: OPENAI,
  completions: OPENAI,
  speech: OPENAI,
  transcriptions: OPENAI,
  videos: OPENAI,
};

/** The version for a client without one: that of every client before 2026. */
const ANTHROPIC_VERSION = '2023-06-01';
const USER_AGENT = `tollgate/${VERSION}`;

/** The address and the headers of a call. Key and address come from one record. */
export function addressVendor(call: VendorCall): VendorAddress {
  const { route, protocol, clientHeaders } = call;
  const standing = findTemplate(route.vendor, route.credential, protocol);
  const headers = [...standing.headers];
  if (call.contentType !== undefined) headers.push('content-type', call.contentType);
  if (protocol === 'messages' && standing.cloud === undefined) pushAnthropic(headers, clientHeaders);
  else headers.push('user-agent', USER_AGENT);
  pushForwarded(headers, standing, clientHeaders);
  const { origin, reach } = standing;
  if (standing.cloud !== undefined) {
    const cloud = { ...standing.cloud, action: call.action, model: route.forwardModelId };
    const path = cloud.adapter.path(cloud);
    assert(path !== undefined, 'no cloud is asked for what it does not offer');
    return { origin, reach, path: withQuery(standing.path + path, '', call.query), headers, cloud };
  }
  const path = standing.path + toPath(protocol, call.action, route.forwardModelId) + (call.below ?? '');
  return { origin, reach, path: withQuery(path, standing.query, call.query), headers };
}

/** Some clouds count no tokens. */
export function canCount(route: Route, protocol: Protocol): boolean {
  const { cloud } = findTemplate(route.vendor, route.credential, protocol);
  if (cloud === undefined) return true;
  return cloud.adapter.path({ ...cloud, action: 'count', model: route.forwardModelId }) !== undefined;
}

/** The parts that are the same for every call with one credential and protocol. */
interface RequestTemplate {
  readonly vendor: Vendor;
  readonly origin: string;
  readonly reach: AllowedNetwork;
  /** The path of the base address with the family's part, without a trailing slash. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly string[];
  readonly forward: readonly string[];
  readonly forwardPrefix: string | undefined;
  /** What all calls of a cloud share. */
  readonly cloud: Omit<CloudCall, 'action' | 'model'> | undefined;
}

/** Catalogue records are immutable, so values derived from one are valid as long as the record. */
const templates = new WeakMap<Credential, Map<Protocol, RequestTemplate>>();

function findTemplate(vendor: Vendor, credential: Credential, protocol: Protocol): RequestTemplate {
  let byProtocol = templates.get(credential);
  if (byProtocol === undefined) {
    byProtocol = new Map();
    templates.set(credential, byProtocol);
  }
  const known = byProtocol.get(protocol);
  if (known !== undefined && known.vendor === vendor) return known;
  const made = makeTemplate(vendor, credential, protocol);
  byProtocol.set(protocol, made);
  return made;
}

function makeTemplate(vendor: Vendor, credential: Credential, protocol: Protocol): RequestTemplate {
  const family = FAMILIES[protocol];
  const base = credential.baseUrl ?? vendor.baseUrl;
  assert(URL.canParse(base), `the base address of credential ${credential.id} is not an address`);
  assert(isHeaderValue(credential.secret), `the secret of credential ${credential.id} fits into no header`);
  const url = new URL(base);
  const trimmed = url.pathname.replace(/\/{1,9}$/, '');
  const owned = credential.ownerAccountId !== undefined;
  const cloud = toCloud(vendor, credential, protocol);
  return {
    vendor,
    origin: url.origin,
    reach: owned && credential.baseUrl !== undefined ? 'public' : 'any',
    path: cloud === undefined ? withPrefix(trimmed, family.prefix) : trimmed.replace(/\/openai(\/v1)?$/, ''),
    query: url.search.slice(1),
    // The gateway reads the answer, so it requests no compression.
    headers:
      cloud === undefined
        ? [...family.credential(credential.secret), 'accept-encoding', 'identity']
        : ['accept-encoding', 'identity'],
    forward: owned ? [...family.forward, ...family.forwardOwned] : family.forward,
    forwardPrefix: cloud === undefined ? family.forwardPrefix : undefined,
    cloud,
  };
}

function withPrefix(path: string, prefix: string): string {
  return path.endsWith(prefix) ? path : path + prefix;
}

function toCloud(vendor: Vendor, credential: Credential, protocol: Protocol): RequestTemplate['cloud'] {
  const { cloud } = vendor;
  if (cloud === undefined) return undefined;
  const secret = readCloudSecret(cloud.kind, credential.secret);
  const owned = credential.ownerAccountId !== undefined;
  const usable = secret.kind !== 'invalid' && !(owned && secret.kind === 'workload');
  // Secrets are checked when they are stored; this one was stored when the vendor was another one.
  const shown: CloudSecret = usable ? secret : { kind: 'key', key: '' };
  // An account's own key is for its own project.
  const { project: _platform, ...rest } = cloud;
  return { adapter: getCloudAdapter(cloud.kind), cloud: owned ? rest : cloud, secret: shown, protocol };
}

function toPath(protocol: Protocol, action: VendorAction, forwardModelId: string): string {
  if (FAMILIES[protocol] === OPENAI) {
    if (action === 'batch') return '/batches';
    if (action === 'file') return '/files';
  }
  switch (protocol) {
    case 'chat':
      return '/chat/completions';
    case 'responses':
      return `/responses${RESPONSES_PATHS[action] ?? ''}`;
    case 'images':
      return `/images/${IMAGE_PATHS[action] ?? 'generations'}`;
    case 'messages':
      return `/messages${MESSAGES_PATHS[action] ?? ''}`;
    case 'gemini':
      return `/${geminiModel(forwardModelId)}:${GEMINI_METHODS[action]}`;
    case 'embeddings':
    case 'moderations':
    case 'rerank':
    case 'completions':
    case 'videos':
      return `/${protocol}`;
    case 'speech':
      return '/audio/speech';
    case 'transcriptions':
      return action === 'translation' ? '/audio/translations' : '/audio/transcriptions';
    case 'gemini-embeddings':
      return `/${geminiModel(forwardModelId)}:${action === 'batch' ? 'batchEmbedContents' : 'embedContent'}`;
  }
}

const MESSAGES_PATHS: Readonly<Partial<Record<VendorAction, string>>> = {
  count: '/count_tokens',
  batch: '/batches',
};

const RESPONSES_PATHS: Readonly<Partial<Record<VendorAction, string>>> = {
  count: '/input_tokens',
  compact: '/compact',
};

const IMAGE_PATHS: Readonly<Partial<Record<VendorAction, string>>> = {
  edit: 'edits',
  variation: 'variations',
};

const GEMINI_METHODS: Readonly<Record<VendorAction, string>> = {
  generate: 'generateContent',
  compact: 'generateContent',
  edit: 'generateContent',
  variation: 'generateContent',
  translation: 'generateContent',
  stream: 'streamGenerateContent',
  count: 'countTokens',
  batch: 'generateContent',
  file: 'generateContent',
};

/** `tunedModels/x` and `models/x` contain their collection. A plain name is of `models`. */
function geminiModel(forwardModelId: string): string {
  const escaped = forwardModelId.split('/').map(encodeURIComponent).join('/');
  return escaped.includes('/') ? escaped : `models/${escaped}`;
}

function withQuery(path: string, ofAddress: string, ofCall: string): string {
  const query = ofAddress !== '' && ofCall !== '' ? `${ofAddress}&${ofCall}` : ofAddress + ofCall;
  return query === '' ? path : `${path}?${query}`;
}

function pushAnthropic(headers: string[], clientHeaders: IncomingHttpHeaders): void {
  const version = clientHeaders['anthropic-version'];
  const agent = clientHeaders['user-agent'];
  headers.push(
    'anthropic-version',
    typeof version === 'string' && isHeaderValue(version) ? version : ANTHROPIC_VERSION,
    'user-agent',
    agent !== undefined && isHeaderValue(agent) ? agent : USER_AGENT,
  );
}

/** An allow-list: all other headers are removed, above all credentials and cookies. */
function pushForwarded(
  headers: string[],
  standing: RequestTemplate,
  clientHeaders: IncomingHttpHeaders,
): void {
  for (const name of standing.forward) pushHeader(headers, name, clientHeaders[name]);
  const prefix = standing.forwardPrefix;
  if (prefix === undefined) return;
  for (const name in clientHeaders) {
    if (name.startsWith(prefix)) pushHeader(headers, name, clientHeaders[name]);
  }
}

function pushHeader(headers: string[], name: string, value: string | string[] | undefined): void {
  if (value === undefined) return;
  const text = typeof value === 'string' ? value : value.join(', ');
  if (isHeaderValue(text)) headers.push(name, text);
}

/** The characters of a header: visible Latin-1, blank and tab. A line end would begin another header. */
export function isHeaderValue(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return false;
  }
  return true;
}
