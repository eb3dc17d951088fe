import { describe, expect, it } from 'vitest';
import { ANSWERS_PER_CALL_MAX, METERED_KEY_BYTES_MAX, METERED_KEYS_MAX } from '../../bounds.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { getDialect } from '../registry.ts';

const path = { model: 'gemini-x', stream: false, framing: 'sse' } as const;

/** The code and the words of the refusal; nothing when the body passes. */
function refused(protocol: Protocol, body: string): string | undefined {
  const facts = getDialect(protocol).readRequest({
    body: Buffer.from(body),
    contentType: 'application/json',
    path,
  });
  return isRefusal(facts) ? `${facts.error.code} ${facts.message}` : undefined;
}

/** A body of the protocol with this member more. */
function bodyWith(protocol: Protocol, member: string): string {
  return protocol === 'gemini' ? `{${member}}` : `{"model":"m",${member}}`;
}

const KEYS: readonly (readonly [Protocol, readonly string[]])[] = [
  ['chat', ['stream', 'n', 'max_tokens', 'max_completion_tokens', 'stream_options']],
  [
    'responses',
    ['stream', 'max_output_tokens', 'tools', 'background', 'store', 'previous_response_id', 'input'],
  ],
  ['messages', ['stream', 'max_tokens', 'thinking']],
  ['images', ['stream', 'n', 'image', 'images', 'mask']],
  ['gemini', ['model', 'generationConfig', 'generation_config']],
  ['moderations', ['input']],
  ['rerank', ['query', 'documents']],
  ['completions', ['stream', 'n', 'best_of', 'max_tokens', 'stream_options', 'prompt']],
  ['speech', ['input']],
  ['videos', ['n']],
];

/** As readers without regard to case, separators, or the end of a text compare keys. */
function otherSpellings(key: string): readonly string[] {
  const odd = [
    key.toUpperCase(),
    key[0]?.toUpperCase() + key.slice(1),
    key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    key.replaceAll('_', '-'),
    `_${key}`,
    `${key}_`,
    `${key}\u0000`,
    `${key}\u0000of something else`,
    key.replace('s', 'ſ'),
    key.replace('k', '\u212a'),
    key.replace('st', 'ﬆ'),
    key.replace('i', 'İ'),
    key.replace(/[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  ];
  return [...new Set(odd)].filter((one) => one !== key);
}

describe('a key that some reader may take as a metered key', () => {
  for (const [protocol, keys] of KEYS) {
    it(`is refused in ${protocol}, as written and with escapes`, () => {
      for (const key of keys) {
        for (const spelled of otherSpellings(key)) {
          const written = JSON.stringify(spelled);
          const escaped = `"${[...spelled].map((letter) => escapeUnits(letter)).join('')}"`;
          for (const text of [written, escaped]) {
            // Google knows either spelling: the other one is no stranger there.
            if (keys.includes(spelled)) continue;
            const words = refused(protocol, bodyWith(protocol, `${text}:null`));
            expect(words, `${protocol} ${text}`).toMatch(/^40002 .* may be read as /);
          }
        }
      }
    });
  }

  it('is refused inside metered objects', () => {
    for (const key of ['Include_Usage', 'includeUsage', 'include-usage', 'include_u\u017fage']) {
      expect(refused('chat', `{"model":"m","stream":true,"stream_options":{"${key}":false}}`)).toContain(
        '"include_usage"',
      );
    }
    for (const config of ['generationConfig', 'generation_config']) {
      for (const key of ['MaxOutputTokens', 'CANDIDATE_COUNT', 'maxoutputtokens', 'candidate-count']) {
        expect(refused('gemini', `{"${config}":{"${key}":1}}`)).toContain('may be read as');
      }
    }
    expect(refused('messages', '{"model":"m","thinking":{"Budget_Tokens":1}}')).toContain('may be read as');
  });

  it('is named in the message, short and visible', () => {
    expect(refused('chat', '{"model":"m","ſtream":true}')).toContain(
      'The key "\\u017ftream" may be read as "stream"',
    );
    const long = `{"model":"m","stream\\u0000${'x'.repeat(900)}":1}`;
    expect(refused('chat', long)?.length).toBeLessThan(250);
  });

  it('is ignored elsewhere', () => {
    const inside = '{"Model":1,"STREAM":true,"N":5}';
    const elsewhere = `"messages":[${inside}],"metadata":${inside},"tools":[{"parameters":${inside}}]`;
    expect(refused('chat', `{"model":"m",${elsewhere}}`)).toBeUndefined();
    const near = '"models":1,"streams":1,"stream_option":1,"max":1,"tokens":1,"nn":1,"":1,"_":1,"ñ":1';
    expect(refused('chat', `{"model":"m",${near}}`)).toBeUndefined();
  });

  it('is limited in length', () => {
    const long = 'k'.repeat(METERED_KEY_BYTES_MAX + 1);
    expect(refused('chat', `{"model":"m","${long}":1}`)).toContain('40002');
    expect(refused('chat', `{"model":"m","metadata":{"${long}":1}}`)).toBeUndefined();
  });
});

function escapeUnits(letter: string): string {
  return [...letter]
    .flatMap((one) => Array.from({ length: one.length }, (_, index) => one.charCodeAt(index)))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

describe('a key that comes more than once', () => {
  it('is refused with any values, because readers take the first, the last or both', () => {
    for (const [protocol, keys] of KEYS) {
      for (const key of keys) {
        const escaped = key.replace(/^./, escapeUnits);
        if (key === 'model') continue;
        const words = refused(protocol, bodyWith(protocol, `"${key}":null,"x":1,"${escaped}":null`));
        expect(words, `${protocol} ${key}`).toBe(`40002 "${key}" comes more than once`);
      }
    }
    expect(
      refused('chat', '{"model":"m","stream_options":{"include_usage":true,"include_usage":true}}'),
    ).toContain('include_usage');
  });

  it('is refused in two spellings that Google accepts', () => {
    expect(refused('gemini', '{"generationConfig":{},"generation_config":{}}')).toContain('more than once');
    const both = '{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":1}}';
    expect(refused('gemini', both)).toContain('more than once');
  });

  it('may be the model, up to a number, because every one is replaced', () => {
    const models = (count: number): string => `{${Array(count).fill('"model":"m"').join(',')}}`;
    for (const protocol of ['chat', 'responses', 'messages', 'images'] as const) {
      expect(refused(protocol, models(METERED_KEYS_MAX))).toBeUndefined();
      expect(refused(protocol, models(METERED_KEYS_MAX + 1))).toContain('40002');
    }
  });

  it('costs no more than any other text of its length', async () => {
    const body = Buffer.alloc(40 * 1024 * 1024, '"model":"m",');
    body.write('{', 0);
    const request = { body, contentType: 'application/json', path: undefined };
    for (const protocol of PROTOCOLS) {
      expect(await getDialect(protocol).readRequest({ ...request, path })).toMatchObject({
        error: { code: 40002 },
      });
    }
  });
});

describe('a value of a wrong type is 40004', () => {
  const FLAGS = [
    '1',
    '0',
    '"true"',
    '"false"',
    '"1"',
    '""',
    '[]',
    '[true]',
    '{}',
    '1.0',
    '-1',
    '"on"',
    '1e0',
  ];
  it.each(FLAGS)('as a flag: %s', (value) => {
    for (const protocol of ['chat', 'responses', 'messages', 'images'] as const) {
      const words = refused(protocol, `{"model":"m","stream":${value}}`);
      expect(words).toBe('40004 "stream" must be true or false');
    }
    const asked = `{"model":"m","stream":true,"stream_options":{"include_usage":${value}}}`;
    expect(refused('chat', asked)).toContain('"stream_options.include_usage" must be');
    expect(refused('responses', `{"model":"m","store":${value}}`)).toContain('"store" must be');
    expect(refused('responses', `{"model":"m","background":${value}}`)).toContain('"background" must be');
  });

  it.each(['true', 'false', 'null'])('but not a good flag: %s', (value) => {
    for (const protocol of ['chat', 'responses', 'messages', 'images'] as const) {
      expect(refused(protocol, `{"model":"m","stream":${value}}`)).toBeUndefined();
    }
  });

  const FIGURES = [
    ...[
      '"5"',
      '""',
      '" "',
      '"-1"',
      '5.5',
      '0.5e1',
      '5e0',
      '5E3',
      '1e400',
      '[]',
      '[5]',
      '{}',
      'true',
      '"\\u0035"',
    ],
    ...['18446744073686646784', '99999999999999999999999', '"1_0"', '0.99999999999999999999', '-0.5'],
  ];
  it.each(FIGURES)('as a figure: %s', (value) => {
    expect(refused('chat', `{"model":"m","max_tokens":${value}}`)).toContain('"max_tokens" must be');
    expect(refused('chat', `{"model":"m","max_completion_tokens":${value}}`)).toContain('must be');
    expect(refused('responses', `{"model":"m","max_output_tokens":${value}}`)).toContain('must be');
    expect(refused('messages', `{"model":"m","max_tokens":${value}}`)).toContain('must be');
    expect(refused('gemini', `{"generationConfig":{"maxOutputTokens":${value}}}`)).toContain('must be');
    for (const protocol of ['chat', 'images'] as const) {
      expect(refused(protocol, `{"model":"m","n":${value}}`)).toContain('"n" must be');
    }
    expect(refused('gemini', `{"generation_config":{"candidate_count":${value}}}`)).toContain('must be');
  });

  it('as more answers or images than any vendor makes', () => {
    for (const protocol of ['chat', 'images'] as const) {
      expect(refused(protocol, `{"model":"m","n":${ANSWERS_PER_CALL_MAX}}`)).toBeUndefined();
      expect(refused(protocol, `{"model":"m","n":${ANSWERS_PER_CALL_MAX + 1}}`)).toContain('"n" must be');
      expect(refused(protocol, '{"model":"m","n":-1}')).toContain('"n" must be');
    }
  });

  it.each(['1', '"x"', '[]', 'true'])('as an object: %s', (value) => {
    expect(refused('chat', `{"model":"m","stream_options":${value}}`)).toContain('must be an object');
    expect(refused('gemini', `{"generationConfig":${value}}`)).toContain('must be an object');
  });
});

describe('generateContent with its model in the path', () => {
  it.each([
    '"other"',
    '"models/other"',
    '"tunedModels/gemini-x"',
    '"models/models/gemini-x"',
    'null',
    '5',
    '""',
  ])('refuses another one in the body: %s', (name) => {
    const words = '40002 "model" in the body differs from the model in the path';
    expect(refused('gemini', `{"model":${name}}`)).toBe(words);
    expect(refused('gemini', `{"model":"gemini-x","model":${name}}`)).toBe(words);
    expect(refused('gemini', `{"model":${name},"model":"models/gemini-x"}`)).toBe(words);
  });
});
