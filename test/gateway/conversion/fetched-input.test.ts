import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWallet, type Wallet, type WalletOptions } from '../../race/wallet.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';

const ONE_YUAN_A_DAY = 90;
const CATALOG = STANDARD_CATALOG.replace(
  'accounts:\n',
  `  - { id: ${ONE_YUAN_A_DAY}, name: yuan, windows: [{ dimension: amount, seconds: 86400, limit: "1" }] }\naccounts:\n`,
);
/** At 1,500 tokens a page and 8 Credits a thousand tokens. */
const PAGE_CREDITS = 12;
const PAGES = 400;

let media: Server;
let address: string;
let world: World;
beforeAll(async () => {
  media = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.end(pdf(Number(request.url?.match(/\d+/)?.[0])));
  });
  await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve));
  const { port } = media.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  world = await startWorld({
    catalog: CATALOG,
    environment: { TOLLGATE_MEDIA_HOSTS: `127.0.0.1:${port}` },
  });
});
afterAll(async () => {
  await world?.close();
  media?.close();
});
afterEach(async () => {
  await world.settled();
  expect(await world.database.query('select * from consumptions where shortfall_micro > 0')).toEqual([]);
});

function pdf(pages: number): Buffer {
  const object = '1 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 9 0 R>> endobj\n';
  return Buffer.from(`%PDF-1.4\n${object.repeat(pages)}2 0 obj <</Type /Pages /Count ${pages}>> endobj\n`);
}

/** Asks a model of Google's, which is given no addresses, about documents at addresses. */
const WAYS: Readonly<Record<string, (pages: readonly number[], text: string) => [string, object]>> = {
  messages: (pages, text) => {
    const documents = pages.map((count) => ({
      type: 'document',
      source: { type: 'url', url: `${address}/${count}.pdf` },
    }));
    const content = [...documents, { type: 'text', text }];
    return [
      '/v1/messages',
      { model: 'gemini-3-pro', max_tokens: 60_000, messages: [{ role: 'user', content }] },
    ];
  },
  responses: (pages, text) => {
    const files = pages.map((count) => ({ type: 'input_file', file_url: `${address}/${count}.pdf` }));
    const content = [...files, { type: 'input_text', text }];
    return [
      '/v1/responses',
      { model: 'gemini-3-pro', max_output_tokens: 60_000, input: [{ role: 'user', content }] },
    ];
  },
};

async function ask(way: string, wallet: Wallet, pages: readonly number[], text: string) {
  const [path, body] = WAYS[way]?.(pages, text) ?? ['', {}];
  const response = await world.post(path, body, { authorization: `Bearer ${wallet.key}` });
  const { code, message } = (await response.json()) as { code?: number; message?: string };
  return { status: response.status, headers: response.headers, code, message };
}

const open = (options: WalletOptions): Promise<Wallet> => openWallet(world, options);
const heard = (tag: string) => world.simulator.truth.list(tag).length;

describe.each(Object.keys(WAYS))('media fetched for %s counts as what it is', (way) => {
  it('and is held before the vendor is asked, or the call is refused as at admission', async () => {
    const wallet = await open({ credits: 1_000 });
    const tag = `poor-${wallet.accountId}`;
    const answer = await ask(way, wallet, [PAGES], `[[sim tag=${tag} tokens=5]]`);
    expect([answer.status, answer.code, heard(tag)]).toEqual([403, 40201, 0]);
    expect(answer.message).toMatch(/may cost up to \d{4}[\d.]* Credits, 1000 are free\. Its input alone/);
    // Nothing stays held: the same with a document that fits.
    const small = await ask(way, wallet, [3], `[[sim tag=${tag} tokens=5]]`);
    expect([small.status, heard(tag)]).toEqual([200, 1]);
  });

  it('and limits the output to the rest', async () => {
    const credits = PAGES * PAGE_CREDITS + 200;
    const wallet = await open({ credits });
    const answer = await ask(way, wallet, [PAGES], '[[sim tokens=5]]');
    expect(answer.status, answer.message).toBe(200);
    // 200 Credits pay for 3,333 tokens of output, less what the words of the request count.
    const bound = Number(answer.headers.get('x-tollgate-max-output-tokens'));
    expect(bound).toBeGreaterThan(3_000);
    expect(bound).toBeLessThan(3_334);
  });

  it('each time that it occurs', async () => {
    const wallet = await open({ credits: PAGES * PAGE_CREDITS + 200 });
    const answer = await ask(way, wallet, [PAGES, PAGES], '[[sim tokens=5]]');
    expect([answer.status, answer.code]).toEqual([403, 40201]);
  });

  it('against the monthly cap and amount windows too', async () => {
    const capped = await open({ credits: 50_000, cap: 1 });
    const cap = await ask(way, capped, [PAGES], '[[sim tokens=5]]');
    expect([cap.status, cap.code]).toEqual([403, 40204]);
    const limited = await open({ credits: 50_000, policyId: ONE_YUAN_A_DAY });
    const window = await ask(way, limited, [PAGES], '[[sim tokens=5]]');
    expect([window.status, window.code]).toEqual([429, 42902]);
    expect(window.headers.get('x-tollgate-limit')).toMatch(/^amount; /);
  });
});
