import fc from 'fast-check';
import { formBody, type MadeBody, type Sent } from '../support/endpoints/body.ts';
import { STRANGE } from './arbitrary.ts';

/** A body that was valid: one member is wrong, some bytes are, or what it is said to be. */
export function shotsAt(good: MadeBody): fc.Arbitrary<Sent> {
  return fc.oneof(
    { arbitrary: wrongMember(good), weight: 5 },
    { arbitrary: wrongBytes(good), weight: 3 },
    { arbitrary: wrongType(good), weight: 1 },
  );
}

const NAMES = ['unknown', '__proto__', 'constructor', '', 'length', 'stream', 'model', 'n'];

function wrongMember(good: MadeBody): fc.Arbitrary<Sent> {
  const names = [...Object.keys(good.members), ...Object.keys(good.members), ...NAMES];
  return fc
    .tuple(fc.constantFrom(...names), fc.constantFrom('drop', 'replace', 'replace', 'whole'), STRANGE)
    .map(([name, how, strange]) => {
      const { [name]: _gone, ...rest } = good.members;
      if (how === 'drop') return written(good, rest);
      return written(good, how === 'whole' ? strange : { ...rest, [name]: strange });
    });
}

function written({ kind, headers }: MadeBody, value: unknown): Sent {
  if (kind === 'json') return { headers, body: Buffer.from(JSON.stringify(value) ?? '') };
  const fields = Object.entries(typeof value === 'object' && value !== null ? value : { value });
  return formBody(Object.fromEntries(fields.map(([name, one]) => [name, fieldOf(one)])));
}

function fieldOf(value: unknown): Parameters<typeof formBody>[0][string] {
  if (typeof value === 'object' && value !== null && 'data' in value && Buffer.isBuffer(value.data)) {
    return { name: 'file', type: 'application/octet-stream', data: value.data };
  }
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function wrongBytes({ headers, body }: MadeBody): fc.Arbitrary<Sent> {
  return fc
    .record({
      how: fc.constantFrom('cut', 'flip', 'insert', 'double', 'lose'),
      at: fc.nat({ max: Math.max(0, body.length - 1) }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 24 }),
    })
    .map(({ how, at, bytes }) => {
      const [before, behind] = [body.subarray(0, at), body.subarray(at)];
      const pieces: Readonly<Record<string, readonly Uint8Array[]>> = {
        cut: [before],
        flip: [before, Buffer.from([(behind[0] ?? 0) ^ (bytes[0] ?? 1)]), behind.subarray(1)],
        insert: [before, bytes, behind],
        double: [before, behind, behind],
        lose: [before, behind.subarray(bytes.length)],
      };
      return { headers, body: Buffer.concat(pieces[how] ?? []) };
    });
}

const TYPES = [
  ...['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'application/x-ndjson', ''],
  ...['multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(300)}`],
  ...['multipart/mixed; boundary=tollgate-test-boundary', 'audio/wav', 'application/json, text/html'],
];

function wrongType({ headers, body }: MadeBody): fc.Arbitrary<Sent> {
  return fc
    .constantFrom(...TYPES)
    .map((type) => ({ headers: type === '' ? {} : { ...headers, 'content-type': type }, body }));
}
