import fc from 'fast-check';
import { PROTOCOLS, type Protocol } from '../../src/kernel/protocol-name.ts';

/** A body that a client may send to make us and a vendor read different things. */
export interface AmbiguousRequest {
  readonly protocol: Protocol;
  readonly body: Buffer;
}

export const PATH_MODEL = 'gemini-x';

const KEYS: Readonly<Record<Protocol, readonly string[]>> = {
  chat: ['model', 'stream', 'n', 'max_tokens', 'max_completion_tokens', 'stream_options'],
  responses: ['model', 'stream', 'max_output_tokens', 'store', 'background', 'input'],
  messages: ['model', 'stream', 'max_tokens', 'thinking'],
  images: ['model', 'stream', 'n', 'prompt'],
  embeddings: ['model', 'input', 'dimensions'],
  'gemini-embeddings': ['model', 'content', 'outputDimensionality'],
  moderations: ['model', 'input'],
  rerank: ['model', 'query', 'documents', 'top_n'],
  completions: ['model', 'stream', 'n', 'best_of', 'max_tokens', 'stream_options', 'prompt'],
  speech: ['model', 'input', 'voice'],
  transcriptions: ['model', 'stream'],
  videos: ['model', 'n', 'prompt'],
  gemini: ['model', 'generationConfig', 'generation_config', 'contents'],
};

const INNER = [
  ...['include_usage', 'maxOutputTokens', 'max_output_tokens', 'candidateCount', 'candidate_count'],
  ...['budget_tokens', 'x'],
];

/** Ways to write a key that some reader takes for another one. */
const SPELLINGS: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => key,
  (key) => key,
  (key) => key.toUpperCase(),
  (key) => `${key[0]?.toUpperCase()}${key.slice(1)}`,
  (key) => key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  (key) => key.replaceAll('_', '-'),
  (key) => key.replaceAll('_', ''),
  (key) => key.replace('s', 'ſ'),
  (key) => key.replace('k', '\u212a'),
  (key) => `${key}\0`,
  (key) => `${key}\0x`,
  (key) => ` ${key}`,
  (key) => `\ufeff${key}`,
  (key) => key.replace('o', 'о'),
];

const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(text),
  (text) => `"${[...text].map(escapeAll).join('')}"`,
  (text) => `"${escapeAll(text[0] ?? '')}${JSON.stringify(text.slice(1)).slice(1)}`,
  (text) => `"${[...text].map((letter) => escapeAll(letter).toUpperCase().replace('\\U', '\\u')).join('')}"`,
];

function escapeAll(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

const VALUES = [
  ...['true', 'false', 'null', '1', '0', '5', '-1', '1.0', '5.5', '1e2', '1e400', '18446744073709551617'],
  ...[
    '"true"',
    '"false"',
    '"1"',
    '"5"',
    '" 7 "',
    '""',
    '"m"',
    '"other"',
    `"models/${PATH_MODEL}"`,
    `"${PATH_MODEL}"`,
  ],
  ...['{}', '[]', '[true]', '"\\ud800"', '"m\\u0000x"', '100000', '"\\u006d"', '-0', '128', '129'],
];

const written = (keys: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...keys), fc.constantFrom(...SPELLINGS), fc.constantFrom(...ESCAPES))
    .map(([key, spell, write]) => write(spell(key)));

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n');

const inner = fc
  .array(fc.tuple(written(INNER), fc.constantFrom(...VALUES)), { maxLength: 3 })
  .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`);

const member = (protocol: Protocol): fc.Arbitrary<string> =>
  fc
    .tuple(
      written(KEYS[protocol]),
      space,
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...VALUES) }, { weight: 2, arbitrary: inner }),
    )
    .map(([key, blank, value]) => `${blank}${key}${blank}:${blank}${value}`);

/** Members that make a request whole, so that it is not refused for what is missing. */
const HONEST: Readonly<Record<Protocol, readonly string[]>> = {
  chat: [
    '"messages":[]',
    '"model":"m"',
    '"stream":true',
    '"stream_options":{"include_usage":false}',
    '"n":2',
  ],
  responses: ['"model":"m"', '"input":"x"', '"stream":true', '"max_output_tokens":9'],
  messages: ['"model":"m"', '"max_tokens":9', '"stream":true', '"thinking":{"budget_tokens":5}'],
  images: ['"model":"m"', '"n":3', '"prompt":"x"'],
  embeddings: ['"model":"m"', '"input":["x"]'],
  'gemini-embeddings': ['"content":{"parts":[{"text":"x"}]}'],
  moderations: ['"model":"m"', '"input":["x"]'],
  rerank: ['"model":"m"', '"query":"x"', '"documents":["x"]'],
  completions: ['"model":"m"', '"prompt":"x"', '"stream":true', '"n":2', '"best_of":3'],
  speech: ['"model":"m"', '"input":"x"'],
  transcriptions: ['"model":"m"'],
  videos: ['"model":"m"', '"prompt":"x"'],
  gemini: ['"contents":[]', '"generationConfig":{"candidateCount":2,"maxOutputTokens":7}'],
};

const FRAMES: readonly ((text: string) => Buffer)[] = [
  ...Array<(text: string) => Buffer>(20).fill((text) => Buffer.from(text)),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.from(`${text}\0`),
  (text) => Buffer.from(`${text}{}`),
  (text) => Buffer.from(`[${text}]`),
];

export const ambiguousRequest: fc.Arbitrary<AmbiguousRequest> = fc
  .constantFrom<Protocol>(...PROTOCOLS)
  .chain((protocol) =>
    fc.record({
      protocol: fc.constant(protocol),
      honest: fc.subarray([...HONEST[protocol]]),
      odd: fc.array(member(protocol), { maxLength: 3 }),
      order: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      frame: fc.constantFrom(...FRAMES),
    }),
  )
  .map(({ protocol, honest, odd, order, frame }) => {
    const members = [...honest, ...odd].map((text, index) => ({ text, key: order[index] ?? 0 }));
    members.sort((one, other) => one.key - other.key);
    return { protocol, body: frame(`{${members.map(({ text }) => text).join(',')}}`) };
  });
