import { gzipSync } from 'node:zlib';
import { newApiKey } from '../../src/accounts/api-key.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { deleteKeys, setKeyStatus } from '../../src/store/accounts/api-keys.ts';
import type { World } from '../support/world.ts';
import { type Asked, chat, prompt, repeated } from './ask.ts';
import { asAccount, changedKey, needing, usedUp, usedUpImages } from './error-world.ts';

/** One error of ours as a client meets it: what it did, and what it must find in the answer. */
export interface ErrorCase {
  readonly code: number;
  readonly status: number;
  /** Ends the sentence "NNNNN is answered …". */
  readonly when: string;
  readonly message: string | RegExp;
  /** Headers of the answer; nothing means that the header must be absent. */
  readonly headers?: Readonly<Record<string, RegExp | undefined>>;
  /** What `error` has of the vendor's. */
  readonly fields?: Readonly<Record<string, string | null>>;
  /** Brings the world into the state and says what to ask. */
  ask(world: World): Asked | Promise<Asked>;
}

const INVALID = 'The API key is invalid, deleted, disabled or expired';
const NOT_BILLABLE = 'No BYOK credential, no valid subscription and no API-billing balance';
const GUIDANCE = `${NOT_BILLABLE}. Verify your account to receive free quota.`;
const NO_KEY = 'api_key is required: send it as "Authorization: Bearer <API_KEY>"';
const NOT_JSON = 'The request body is not a valid JSON object';
const NO_MODEL = 'The field "model" is required and must be a string';
const RPM = 'Rate limit exceeded: too many requests per minute (rpm), please retry later';
const NO_UPSTREAM = /^No available upstream for this model: "[a-z0-9-]+"/;
const TOO_LARGE = 'The request body is larger than 100 MiB';
const BODY_BYTES_MAX = 104_857_600;
/** As a token of a login looks: three parts with dots. */
const ACCESS_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmU';

function withHeaders(key: string, headers: Record<string, string>, body?: Buffer): Asked {
  const asked = body === undefined ? chat(key) : chat(key, body);
  return { ...asked, headers: { ...asked.headers, ...headers } };
}

function keyless(headers: Record<string, string>): Asked {
  return { ...chat(''), headers: { 'content-type': 'application/json', ...headers } };
}

function encoded(key: string, encoding: string, body: Buffer): Asked {
  return withHeaders(key, { 'content-encoding': encoding }, body);
}

function typed(key: string, contentType: string): Asked {
  return withHeaders(key, { 'content-type': contentType });
}

/** Of the body nothing is sent: its length alone is reason enough. */
function declared(key: string, bytes: number): Asked {
  return { ...withHeaders(key, { 'content-length': String(bytes) }), body: undefined };
}

type Row = readonly [when: string, message: string | RegExp, ask: ErrorCase['ask']];

/** Cases that share their code and status. */
function rows(code: number, status: number, list: readonly Row[]): ErrorCase[] {
  return list.map(([when, message, ask]) => ({ code, status, when, message, ask }));
}

const REQUEST: readonly ErrorCase[] = [
  ...rows(40001, 400, [
    ['without any key', NO_KEY, () => keyless({})],
    [
      'to an empty header',
      `${NO_KEY}. The header authorization is empty`,
      () => keyless({ authorization: '' }),
    ],
    [
      'to a key in x-api-key',
      `${NO_KEY}. A key in the header x-api-key is not read`,
      ({ key }) => keyless({ 'x-api-key': key }),
    ],
    [
      'to a scheme that is not bearer',
      `${NO_KEY}. The header authorization does not begin with "Bearer"`,
      ({ key }) => keyless({ authorization: `Basic ${key}` }),
    ],
  ]),
  ...rows(40101, 401, [
    ['to garbage', INVALID, () => chat('sk-garbage')],
    ['to an access token', INVALID, () => chat(ACCESS_TOKEN)],
    ['to a well-formed key that does not exist', INVALID, () => chat(newApiKey(systemRandom))],
    ['to a key deleted a moment ago', INVALID, (world) => changedKey(world, deleteKeys)],
    [
      'to a key disabled a moment ago',
      INVALID,
      (world) => changedKey(world, (...at) => setKeyStatus(...at, 'disabled')),
    ],
    [
      'to an expired key',
      INVALID,
      async ({ newKey }) => chat(await newKey('user@example.com', { expiresAtMs: 1_000 })),
    ],
    ['to a key of a disabled account', INVALID, (world) => asAccount(world, { status: 'disabled' })],
  ]),
  ...rows(40002, 400, [
    ['to a body that is not JSON', NOT_JSON, ({ key }) => chat(key, '{"model":"gpt-5",}')],
    ['to a body that is not an object', NOT_JSON, ({ key }) => chat(key, '["gpt-5"]')],
    ['to an empty body', NOT_JSON, ({ key }) => chat(key, '')],
    [
      'to a body that is not UTF-8',
      /not valid UTF-8/,
      ({ key }) => chat(key, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    ],
    ['to a body nested too deeply', /nested too deeply/, ({ key }) => chat(key, `{"a":${'['.repeat(300)}`)],
    [
      'to a body that does not decode',
      /cannot be decoded/,
      ({ key }) => encoded(key, 'gzip', Buffer.from('not gzip')),
    ],
  ]),
  ...rows(40003, 400, [
    ['to a body without model', NO_MODEL, ({ key }) => chat(key, '{"messages":[]}')],
    ['to a model that is not a string', NO_MODEL, ({ key }) => chat(key, '{"model":5}')],
    ['to an empty model', NO_MODEL, ({ key }) => chat(key, '{"model":""}')],
  ]),
  ...rows(40004, 400, [
    [
      'when no upstream of the model can take such a request',
      'No usable upstream of this model can serve "images"',
      ({ key }) => ({
        ...chat(key, '{"model":"claude-sonnet-5","prompt":"a cat"}'),
        path: '/v1/images/generations',
      }),
    ],
  ]),
  ...rows(40401, 404, [
    [
      'to a path that is not ours',
      /\/v1 is doubled/,
      ({ key }) => ({ ...chat(key), path: '/v1/v1/chat/completions' }),
    ],
  ]),
  {
    code: 40402,
    status: 404,
    when: 'to an id of which the account has no object',
    message: "Conversation with id 'conv_1' not found.",
    fields: { type: 'invalid_request_error', param: null },
    ask: ({ key }) => ({ ...chat(key, ''), method: 'GET', path: '/v1/conversations/conv_1' }),
  },
  {
    code: 40501,
    status: 405,
    when: 'to another method than POST',
    message: 'Method not allowed',
    headers: { allow: /^POST$/ },
    ask: ({ key }) => ({ ...chat(key, ''), method: 'GET' }),
  },
  ...rows(41301, 413, [
    ['to a body that says it is too large', TOO_LARGE, ({ key }) => declared(key, BODY_BYTES_MAX + 1)],
    [
      'to a body that turns out too large',
      TOO_LARGE,
      ({ key }) => chat(key, repeated(' ', BODY_BYTES_MAX + 1)),
    ],
    [
      'to a small body that decodes to a large one',
      /decodes to more than 100 times its size/,
      ({ key }) => encoded(key, 'gzip', gzipSync(Buffer.alloc(BODY_BYTES_MAX, ' '))),
    ],
  ]),
  ...rows(41501, 415, [
    ['to another content type', /"text\/plain" is not supported/, ({ key }) => typed(key, 'text/plain')],
    [
      'to a form where none is expected',
      /is not supported/,
      ({ key }) => typed(key, 'multipart/form-data; boundary=x'),
    ],
    [
      'to an unknown content encoding',
      /encoding is not supported/,
      ({ key }) => encoded(key, 'snappy', Buffer.from('x')),
    ],
  ]),
];

const HANDSHAKE: ErrorCase = {
  code: 42601,
  status: 426,
  when: 'to the handshake of a WebSocket',
  message: 'Tollgate serves no WebSocket: send the request over HTTP',
  headers: { connection: /^close$/, upgrade: undefined, allow: undefined },
  ask: ({ key }) => ({
    ...withHeaders(key, { connection: 'Upgrade', upgrade: 'websocket' }, Buffer.alloc(0)),
    method: 'GET',
    path: '/v1/responses',
  }),
};

const ACCOUNT: readonly ErrorCase[] = [
  ...rows(40201, 403, [
    [
      'when Credits do not pay for the input and 256 tokens',
      /^Insufficient Credits: the call may cost up to \d+(\.\d+)? Credits, 3 are free\. /,
      async ({ newKey }) => chat(await newKey('poor@example.com'), prompt('word '.repeat(600))),
    ],
  ]),
  ...rows(40202, 403, [
    [
      'to an account that nobody pays for, with a guidance to verify',
      GUIDANCE,
      (world) => asAccount(world, { userType: 0 }, 'empty@example.com'),
    ],
    [
      'to a verified account without the guidance',
      NOT_BILLABLE,
      (world) => asAccount(world, { userType: 1 }, 'empty@example.com'),
    ],
    [
      'when API billing is switched off, Credits or not',
      NOT_BILLABLE,
      (world) => asAccount(world, { apiBilling: false }),
    ],
  ]),
  ...rows(40203, 403, [
    [
      'to a model for personal verification',
      'personal verification required to use model needs-personal',
      (world) => needing(world, 'needs-personal'),
    ],
    [
      'to a model for enterprise verification',
      'enterprise verification required to use model needs-enterprise',
      (world) => needing(world, 'needs-enterprise'),
    ],
    [
      'to a model for plan PLUS',
      'subscription to PLUS required to use model needs-plus',
      (world) => needing(world, 'needs-plus'),
    ],
    [
      'to a model for plan PRO',
      'subscription to PRO required to use model needs-pro',
      (world) => needing(world, 'needs-pro'),
    ],
    [
      'to a model for plan PROMAX',
      'subscription to PROMAX required to use model needs-promax',
      (world) => needing(world, 'needs-promax'),
    ],
  ]),
  ...rows(40204, 403, [
    [
      'when the monthly cap leaves nothing',
      /^The monthly spending cap is reached: .* 0\.001 are left under the cap/,
      (world) => asAccount(world, { extraApiQuotaMicro: 1n }),
    ],
  ]),
];

/** A call that goes on for two seconds; the world waits for it when it closes. */
async function runStream(world: World, key: string): Promise<void> {
  const body = prompt('[[sim tokens=20 pace=100]]', ',"stream":true');
  const running = await world.post('/v1/chat/completions', body, world.headers(key));
  running.body?.pipeTo(new WritableStream()).catch(() => undefined);
}

const LIMIT: readonly ErrorCase[] = [
  {
    code: 42901,
    status: 429,
    when: 'when another call of the key still runs',
    message: /^Concurrency limit/,
    headers: {
      'retry-after': /^1$/,
      'x-tollgate-limit': /^concurrency; limit=1; used=1;/,
    },
    ask: async (world) => {
      const key = await world.newKey('user@example.com', { policyId: 2 });
      await runStream(world, key);
      return chat(key);
    },
  },
  {
    code: 42902,
    status: 429,
    when: 'after as many requests as the window holds',
    message: RPM,
    headers: {
      'retry-after': /^([1-9]|[1-5]\d|60)$/,
      'x-tollgate-limit': /^requests; limit=2; used=2; window=60; reset=\d+; scope=key$/,
    },
    ask: (world) => usedUp(world, 3, [prompt('one'), prompt('two'), prompt('three')]),
  },
  {
    code: 42902,
    status: 429,
    when: 'after as many images as the window holds, in the same words',
    message: RPM,
    headers: {
      'retry-after': /^86\d{3}$/,
      'x-tollgate-limit': /^images; limit=1; used=1; window=86400; reset=86\d{3}; scope=key$/,
    },
    ask: (world) => usedUpImages(world, 5),
  },
  {
    code: 42903,
    status: 429,
    when: 'after as many tokens as the window holds',
    message: /^Token limit exceeded/,
    headers: {
      'retry-after': /^3[56]\d{2}$/,
      'x-tollgate-limit': /^tokens; limit=20; used=\d+; window=3600;/,
    },
    ask: (world) => usedUp(world, 4, [prompt('one'), prompt('two')]),
  },
];

const UPSTREAM: readonly ErrorCase[] = [
  ...rows(50201, 502, [
    ['to a model nobody knows', NO_UPSTREAM, ({ key }) => chat(key, prompt('hello', '', 'gpt-nonsense'))],
    [
      'to a vendor’s own model name',
      NO_UPSTREAM,
      ({ key }) => chat(key, prompt('hello', '', 'gpt-5-2026-08-01')),
    ],
    ['to a disabled model', NO_UPSTREAM, ({ key }) => chat(key, prompt('hello', '', 'switched-off'))],
    [
      'to a model without a usable route',
      NO_UPSTREAM,
      ({ key }) => chat(key, prompt('hello', '', 'no-route')),
    ],
  ]),
  ...rows(50202, 502, [
    [
      'when the vendor cannot be reached',
      /could not be reached/,
      ({ key }) => chat(key, prompt('hello', '', 'unreachable')),
    ],
    [
      'when the vendor refuses the key of the house',
      /could not be reached/,
      ({ key }) => chat(key, prompt('hello', '', 'refused-key')),
    ],
    [
      'when the vendor resets the connection',
      /could not be reached/,
      ({ key }) => chat(key, prompt('[[sim fault=reset-early]]')),
    ],
    [
      'when the vendor answers with a page',
      /could not be reached/,
      ({ key }) => chat(key, prompt('[[sim fault=html]]')),
    ],
  ]),
  ...rows(50401, 504, [
    [
      'when the vendor does not answer in time',
      'The upstream did not answer in time',
      ({ key }) => chat(key, prompt('[[sim fault=no-headers]]')),
    ],
  ]),
  {
    code: 50301,
    status: 503,
    when: 'while every upstream cools down',
    message: /at its rate limit/,
    headers: { 'retry-after': /^(2\d|30)$/ },
    ask: async (world) => {
      const asked = chat(world.key, prompt('[[sim fault=status@429:retry-after=30]]', '', 'cooling'));
      // The vendor's own 429 passes; what it said is obeyed from the next call on.
      await world.post(asked.path, asked.body);
      return asked;
    },
  },
];

const DRAINING: ErrorCase = {
  code: 50301,
  status: 503,
  when: 'while the process drains',
  message: /overloaded or shutting down/,
  headers: { 'retry-after': /^1$/ },
  ask: async (world) => {
    await runStream(world, world.key);
    void world.tollgate.stop();
    return chat(world.key);
  },
};

/** In the order of the codes' meaning; the last one ends the world it is asked in. */
export const ERROR_CASES: readonly ErrorCase[] = [
  ...REQUEST,
  HANDSHAKE,
  ...ACCOUNT,
  ...LIMIT,
  ...UPSTREAM,
  DRAINING,
];
