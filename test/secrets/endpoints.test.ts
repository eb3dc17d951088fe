import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AWS, AZURE } from '../../sim/cloud/state.ts';
import { announceAndWait } from '../../src/store/changes.ts';
import { askCall } from '../support/endpoints/ask.ts';
import type { MadeBody } from '../support/endpoints/body.ts';
import { VENDOR_SECRETS } from '../support/endpoints/catalog.ts';
import { missingOf } from '../support/endpoints/coverage.ts';
import { ENDPOINT_CALLS, type EndpointCall, VENDOR_CODES } from '../support/endpoints/table.ts';
import { startEndpointWorld } from '../support/endpoints/world.ts';
import type { World } from '../support/world.ts';
import { Hoard } from './hoard.ts';
import { dumpTables, readFiles } from './places.ts';

const hoard = new Hoard();
const PROMPT = hoard.hide('prompt', 'HUNT-prompt-that-nobody-keeps-1003');
/** The simulated vendors take what begins with their key; the clouds have one customer. */
const secrets = Object.fromEntries(
  VENDOR_CODES.map((code) => [
    code,
    hoard.hide(`secret of ${code}`, `${String(VENDOR_SECRETS[code])}-HUNT-${code}-1001`),
  ]),
);
hoard.hide('key of Azure', AZURE.key);
hoard.hide('secret key of AWS', AWS.secretAccessKey);

let world: World;
let byok: string;
const log: string[] = [];
const proved = new Set<string>();

beforeAll(async () => {
  world = await startEndpointWorld({
    secrets,
    environment: { TOLLGATE_LOG_LEVEL: 'debug', TOLLGATE_FIRST_BYTE_TIMEOUT_MS: '6000' },
    log: pino({ level: 'trace' }, { write: (line) => void log.push(line) }),
  });
  const { private_key: pem = '' } = world.simulator.clouds.serviceAccount();
  // A middle line of it: the first and the last are alike in all keys.
  hoard.hide('key of the service account', pem.split('\n')[5] ?? '');
  hoard.hide('api key', world.key);
  byok = hoard.hide('other api key', await world.newKey('other@example.com'));
  const token = await world.login('other@example.com');
  for (const code of VENDOR_CODES) {
    const secret = hoard.hide(`own secret of ${code}`, `${String(VENDOR_SECRETS[code])}-HUNT-${code}-1002`);
    const body = { vendor_code: code, name: `own ${code}`, secret };
    expect((await world.api('POST', '/credential', { token, body })).body).toMatchObject({ code: 0 });
  }
  await announceAndWait(world.database);
});
afterAll(() => world?.close());

/** In place of an answer, in the middle of one, and as a refusal of the credential itself. */
const FAULTS = ['status@500', 'status@401', 'status@400', 'reset-early', 'html', 'error-200', 'empty-200'];
const COURSES = ['', 'usage=none', 'fault=reset', ...FAULTS.map((fault) => `fault=${fault}`)];

async function hunt(call: EndpointCall, key: string): Promise<number> {
  let served = 0;
  for (const form of call.forms) {
    for (const course of COURSES) {
      const words = `tokens=8 ${course}`;
      const hidden: EndpointCall = {
        ...call,
        send: (said, chosen) => withPrompt(call.send(said, chosen)),
      };
      const { status, headers, text } = await askCall({ url: world.url, key }, hidden, words, form);
      if (status === 200) served++;
      const head = JSON.stringify(headers);
      // A vendor may repeat the prompt to its author; nobody's key is in any answer.
      hoard.search(`${call.name} ${form} ${course} ${status}`, head + text, ['prompt']);
    }
  }
  return served;
}

/** The prompt with something in it that is to be found nowhere again. */
function withPrompt(sent: MadeBody): MadeBody {
  // The same length, so that no form has to be counted again.
  const marked = sent.body
    .toString('latin1')
    .replace('Count the boats in the harbour, twi', PROMPT.padEnd(35, '.'));
  return { ...sent, body: Buffer.from(marked, 'latin1') };
}

describe.each(ENDPOINT_CALLS.map((call) => [call.name, call] as const))('%s', (name, call) => {
  test('tells no credential in its answers, whoever pays and however they fail', async () => {
    const before = hoard.searched;
    expect(await hunt(call, world.key)).toBeGreaterThan(0);
    expect(await hunt(call, byok)).toBeGreaterThan(0);
    expect(hoard.searched - before).toBeGreaterThan(1_000);
    expect(hoard.sightings).toEqual([]);
    proved.add(name);
  });
});

test('no credential and no prompt is in the log, the metrics, the files or the database', async () => {
  expect(missingOf(proved)).toEqual([]);
  await world.settled();
  const [seen] = await world.database.query<Record<'payers' | 'failed', unknown>>(
    `select (select array_agg(distinct payer order by payer) from calls) as payers,
       (select count(*)::int from calls where verdict <> 'complete') as failed`,
  );
  expect(seen).toMatchObject({ payers: expect.arrayContaining(['byok', 'credits']) });
  expect(Number(seen?.failed)).toBeGreaterThan(100);
  hoard.search('/metrics', await world.figures());
  for (const [table, text] of await dumpTables(world.database)) hoard.search(`table ${table}`, text);
  for (const [path, text] of await readFiles(world.config.dataDirectory)) hoard.search(`file ${path}`, text);
  hoard.search('log', log.join(''));
  expect(hoard.sightings).toEqual([]);
  // And there was something to look at.
  expect(log.length).toBeGreaterThan(100);
  expect(hoard.searched).toBeGreaterThan(200_000);
});
