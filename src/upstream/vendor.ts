import type { IncomingHttpHeaders } from 'node:http';
import type { Credential, Route, Vendor } from '../catalog/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { VERSION } from '../kernel/version.ts';
import type { AllowedNetwork } from './contract.ts';

/** What is asked of the vendor; `stream` differs from `generate` in the address for generateContent only. */
export type VendorAction = 'generate' | 'stream' | 'count' | 'edit';

export interface VendorCall {
  readonly route: Route;
  /** What is spoken with the vendor. */
  readonly protocol: Protocol;
  readonly action: VendorAction;
  /** Of the client's request when it speaks the same protocol; `{}` when the call is converted. */
  readonly clientHeaders: IncomingHttpHeaders;
  readonly contentType: string;
  /** What is asked in the address, without a question mark. It is ours: nothing of the client's goes here. */
  readonly query: string;
}

/** JSON is UTF-8 by definition, and the type knows no parameters. */
export const VENDOR_JSON = 'application/json';

export interface VendorAddress {
  readonly origin: string;
  readonly reach: AllowedNetwork;
  readonly path: string;
  /** Flat: name, value, name, value. */
  readonly headers: string[];
}

/** How a family of protocols is addressed: which part of the path it adds, and who pays for the key. */
interface Family {
  /** Part of the path that a base address has or lacks, by habit; it is never doubled. */
  readonly prefix: string;
  credential(secret: string): readonly [string, string];
  /** Headers of the client that go on, by name (rule I-23). */
  readonly forward: readonly string[];
  readonly forwardPrefix: string | undefined;
  /** Only when the key is the client's own (BYOK): they name things inside the account of the key. */
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
};

/** The version sent for a client that named none: what every client before 2026 means. */
const ANTHROPIC_VERSION = '2023-06-01';
const USER_AGENT = `tollgate/${VERSION}`;

/** Where the call goes and with which headers. Key and address come from one record. */
export function addressVendor(call: VendorCall): VendorAddress {
  const { route, protocol, clientHeaders } = call;
  const standing = findTemplate(route.vendor, route.credential, protocol);
  const headers = [...standing.headers, 'content-type', call.contentType];
  if (protocol === 'messages') pushAnthropic(headers, clientHeaders);
  else headers.push('user-agent', USER_AGENT);
  pushForwarded(headers, standing, clientHeaders);
  const path = standing.path + toPath(protocol, call.action, route.forwardModelId);
  const { origin, reach } = standing;
  return { origin, reach, path: withQuery(path, standing.query, call.query), headers };
}

/** What is the same for every call with one credential and protocol. */
interface RequestTemplate {
  readonly vendor: Vendor;
  readonly origin: string;
  readonly reach: AllowedNetwork;
  /** Of the base address, with the family's own part, without a slash at the end. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly string[];
  readonly forward: readonly string[];
  readonly forwardPrefix: string | undefined;
}

/** Catalogue records are immutable, so what was made of one holds as long as the record itself. */
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
  return {
    vendor,
    origin: url.origin,
    reach: owned && credential.baseUrl !== undefined ? 'public' : 'any',
    path: trimmed.endsWith(family.prefix) ? trimmed : trimmed + family.prefix,
    query: url.search.slice(1),
    // We read what passes, so we ask for it plain.
    headers: [...family.credential(credential.secret), 'accept-encoding', 'identity'],
    forward: owned ? [...family.forward, ...family.forwardOwned] : family.forward,
    forwardPrefix: family.forwardPrefix,
  };
}

function toPath(protocol: Protocol, action: VendorAction, forwardModelId: string): string {
  switch (protocol) {
    case 'chat':
      return '/chat/completions';
    case 'responses':
      return action === 'count' ? '/responses/input_tokens' : '/responses';
    case 'images':
      return action === 'edit' ? '/images/edits' : '/images/generations';
    case 'messages':
      return action === 'count' ? '/messages/count_tokens' : '/messages';
    case 'gemini':
      return `/${geminiModel(forwardModelId)}:${GEMINI_METHODS[action]}`;
  }
}

const GEMINI_METHODS: Readonly<Record<VendorAction, string>> = {
  generate: 'generateContent',
  edit: 'generateContent',
  stream: 'streamGenerateContent',
  count: 'countTokens',
};

/** `tunedModels/x` and `models/x` are names with their collection; a bare name is of `models`. */
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

/** An allow-list: what is not named here stays with us, above all every credential and every cookie. */
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

/** What one header may hold: visible Latin-1, blank and tab. A line end would begin a header of its own. */
export function isHeaderValue(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return false;
  }
  return true;
}
