import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { cheapHash, type LoginNode, newMember, startLoginNode, type Told } from '../../support/logins.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';

/** Dear enough that a crowd is worked on for a while, and the order is what counts. */
const COST_LOG2 = 14;
const PASSWORD = 'a test password';
const CROWD = 40;
let fresh: FreshDatabase;
let database: Database;
let node: LoginNode;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase({ connection: fresh.connection, log: silentLogger });
  node = await startLoginNode(database, { nobody: cheapHash('nobody', COST_LOG2) });
  await newMember(database, 'real@example.com', 'user', cheapHash(PASSWORD, COST_LOG2));
});
afterAll(async () => {
  await node.close();
  await database.close();
  await fresh.drop();
});

const enter = (from: string): Promise<Told> =>
  node.ask('auth/login', { email: 'real@example.com', password: PASSWORD }, { from });

/** Anonymous logins at once, then the real one: its answer, and how many of the crowd were tried before. */
async function besideCrowd(addressOf: (index: number) => string, from: string): Promise<[number, number]> {
  let tried = 0;
  const crowd = Array.from({ length: CROWD }, async (_, index) => {
    const guess = { email: `nobody${Math.random()}@example.com`, password: 'a guess' };
    const { code } = await node.ask('auth/login', guess, { from: addressOf(index) });
    if (code === 1002) tried += 1;
    return code;
  });
  const { code } = await enter(from);
  const before = tried;
  expect((await Promise.all(crowd)).filter((one) => one !== 1002 && one !== 1006)).toEqual([]);
  return [code, before];
}

test.each([
  ['one address', () => '192.0.2.1', '198.51.100.1'],
  [
    'one network of IPv6, an address each',
    (index: number) => `2001:db8:1:1::${index.toString(16)}`,
    '198.51.100.2',
  ],
  [
    'one site of IPv6, a network each',
    (index: number) => `2001:db8:2:${index.toString(16)}::1`,
    '198.51.100.3',
  ],
])('a crowd of %s does not keep out a visitor of another network', async (_name, addressOf, from) => {
  const [code, before] = await besideCrowd(addressOf, from);
  expect(code).toBe(0);
  expect(before).toBeLessThan(8);
});

test('a crowd of forty addresses does not keep out earlier visitors', async () => {
  expect(await enter('203.0.113.9')).toMatchObject({ code: 0 });
  const [code, before] = await besideCrowd((index) => `10.0.${index}.1`, '203.0.113.9');
  expect(code).toBe(0);
  expect(before).toBeLessThan(8);
});
