import { describe, expect, it } from 'vitest';
import { isRefusal, type Refusal } from '../../kernel/errors.ts';
import { PROTOCOLS, type Protocol } from '../../kernel/protocol-name.ts';
import { getBatchDialect } from '../batches/dialect.ts';
import { readFileBatch } from '../batches/file-batch.ts';
import type { Dialect, MemberKind, RequestMember } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const path = { model: 'gemini-x', stream: false, framing: 'sse' } as const;

/** Every type of JSON, with what each kind accepts. */
const VALUES: readonly (readonly [string, readonly MemberKind[]])[] = [
  ['"resp_1"', ['text']],
  ['"true"', ['text']],
  ['"5"', ['text']],
  ['["resp_1"]', ['list']],
  ['[{"type":"image_generation"}]', ['list']],
  ['[]', ['list']],
  ['{"id":"conv_1"}', ['object']],
  ['{}', ['object']],
  ['true', ['flag']],
  ['1', ['count', 'limit']],
  ['-1', ['limit']],
  ['1000', ['limit']],
  ['1.5', []],
];

/** A body with this member alone, beside what every body has. */
function bodyWith(memberPath: string, value: string): Buffer {
  const keys = memberPath.split('.');
  const nested = keys.reduceRight((inner, key) => `{"${key}":${inner}}`, value);
  // A body that names another model than its path is refused for that.
  return Buffer.from(`{"model":"gemini-x",${nested.slice(1)}`);
}

async function refusalOf(dialect: Dialect, body: Buffer): Promise<Refusal | undefined> {
  const read = await dialect.readRequest({ body, contentType: 'application/json', path });
  return isRefusal(read) ? read : undefined;
}

function wrongValues({ kinds }: RequestMember): readonly string[] {
  if (kinds.includes('any')) return [];
  return VALUES.filter(([, accepted]) => !accepted.some((kind) => kinds.includes(kind))).map(
    ([value]) => value,
  );
}

const wanted = (param: string) => ({
  error: { code: 40004 },
  vendorFields: { type: 'invalid_request_error', param, code: 'invalid_type' },
});

describe.each(PROTOCOLS)('a member of %s', (protocol: Protocol) => {
  const dialect = getDialect(protocol);

  it('is refused with its name if its value is of another type', async () => {
    for (const member of dialect.members) {
      for (const value of wrongValues(member)) {
        const refusal = await refusalOf(dialect, bodyWith(member.path, value));
        expect(refusal, `${member.path}: ${value}`).toMatchObject(wanted(member.path));
      }
    }
  });

  it('is absent if it is null, and is not refused for a type that it may have', async () => {
    for (const { path: name, kinds } of dialect.members) {
      const right = VALUES.filter(([, accepted]) => accepted.some((kind) => kinds.includes(kind)));
      for (const value of ['null', ...right.map(([text]) => text)]) {
        const refusal = await refusalOf(dialect, bodyWith(name, value));
        expect(refusal?.message ?? '', `${name}: ${value}`).not.toContain(`"${name}" must be`);
      }
    }
  });
});

describe('a member of a batch', () => {
  const messages = getBatchDialect('messages');
  const file = getBatchDialect('chat');

  it('of Messages is refused with its name if its value is of another type', async () => {
    for (const member of messages.members) {
      for (const value of wrongValues(member)) {
        expect(await refusalOf(messages, bodyWith(member.path, value))).toMatchObject(wanted(member.path));
      }
    }
  });

  it('of OpenAI is refused with its name if its value is of another type', async () => {
    for (const member of file.members) {
      for (const value of wrongValues(member)) {
        expect(await readFileBatch(bodyWith(member.path, value))).toMatchObject(wanted(member.path));
      }
    }
  });
});

it('what vendors accept in two forms is accepted in both', async () => {
  const accepted: readonly (readonly [Protocol, string, string])[] = [
    ['responses', 'conversation', '{"id":"conv_1"}'],
    ['responses', 'conversation', '"conv_1"'],
    ['responses', 'input', '[]'],
    ['completions', 'prompt', '[1,2]'],
    // Google's reader of JSON takes one value for a list of one.
    ['gemini', 'tools', '{"googleSearch":{}}'],
    ['rerank', 'documents', '[{"text":"a"}],"query":"b"'],
    ['images', 'image', '{"image_url":"https://a.example/b.png"}'],
  ];
  for (const [protocol, name, value] of accepted) {
    expect(
      await refusalOf(getDialect(protocol), bodyWith(name, value)),
      `${protocol} ${name}`,
    ).toBeUndefined();
  }
});
