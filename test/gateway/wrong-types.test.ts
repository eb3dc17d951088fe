import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemberKind } from '../../src/protocol/dialect.ts';
import { foldKey } from '../../src/protocol/pass-through/key-spelling.ts';
import { getDialect } from '../../src/protocol/registry.ts';
import { beginRequest, type Caller, objectIn } from '../support/endpoints/ask.ts';
import { type FormFile, formBody, jsonBody, silentSound } from '../support/endpoints/body.ts';
import { ENDPOINT_CALLS } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import type { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startEndpointWorld();
});
afterAll(() => world?.close());

/** Values, and the kinds of member that may have them. */
const VALUES: readonly (readonly [unknown, readonly MemberKind[]])[] = [
  ['true', ['text']],
  [['resp_1'], ['list']],
  [{ id: 'conv_1' }, ['object']],
  [true, ['flag']],
  [1.5, []],
];

type Members = Readonly<Record<string, unknown>>;

function withMember(members: Members, path: string, value: unknown): Members {
  const [first = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : withMember({}, rest.join('.'), value);
  // Google's other spelling of it would be the same member twice.
  const others = Object.entries(members).filter(([name]) => foldKey(name) !== foldKey(first));
  return { ...Object.fromEntries(others), [first]: inner };
}

async function refusalOf(path: string, sent: ReturnType<typeof jsonBody>) {
  const caller: Caller = { url: world.url, key: world.key };
  const { status, text } = await beginRequest(caller, path, sent).ended;
  return { status, body: objectIn(text) };
}

const wanted = (param: string) => ({
  status: 400,
  body: { code: 40004, error: { type: 'invalid_request_error', param } },
});

/** Protocols of forms alone have no JSON. */
const JSON_CALLS = ENDPOINT_CALLS.filter((call) => call.send('', call.forms[0] ?? 'plain').kind === 'json');

describe.each(JSON_CALLS.map((call) => [call.name, call] as const))('%s', (_name, call) => {
  const form = call.forms[0] ?? 'plain';
  const good = call.send('tokens=1', form).members;

  it('refuses members of the wrong type, and no vendor is asked', async () => {
    const before = world.simulator.stats.requests;
    for (const { path, kinds } of getDialect(call.protocol).members) {
      if (kinds.includes('any')) continue;
      for (const [value, accepted] of VALUES) {
        if (accepted.some((kind) => kinds.includes(kind))) continue;
        const sent = jsonBody(withMember(good, path, value));
        expect(await refusalOf(call.path(form), sent), `${path}: ${JSON.stringify(value)}`).toMatchObject(
          wanted(path),
        );
      }
    }
    expect(world.simulator.stats.requests).toBe(before);
  });
});

describe('a form', () => {
  const picture: FormFile = { name: 'a.png', type: 'image/png', data: Buffer.from('PNG') };
  it.each([
    ['/v1/images/edits', { model: 'm-edited', prompt: 'x', image: picture }, 'n', 'two'],
    ['/v1/images/edits', { model: 'm-edited', prompt: 'x', image: picture }, 'stream', '1'],
    ['/v1/audio/transcriptions', { model: 'm-transcribed', file: silentSound(1) }, 'stream', 'yes'],
  ])('%s refuses fields of the wrong form, and no vendor is asked', async (path, fields, name, value) => {
    const before = world.simulator.stats.requests;
    expect(await refusalOf(path, formBody({ ...fields, [name]: value }))).toMatchObject(wanted(name));
    expect(world.simulator.stats.requests).toBe(before);
  });
});
