import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './server.ts';
import type { StatsView } from './stats.ts';
import { post, type Received } from './suite/wire-client.ts';
import type { TruthCall } from './truth.ts';

/** The machine may be busy; what is awaited comes all the same. */
const POLL = { timeout: 60_000 };

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

function chat(prompt: string, more: object = {}, key = 'sk-sim-openai'): Promise<Received> {
  return post({
    url: `${simulator.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: prompt }], ...more },
  });
}

describe('the script', () => {
  it('answers the next calls that match, as often as it says', async () => {
    simulator.script({ match: { key: 'sk-sim-openai-b' }, times: 2, answer: { status: 503 } });
    simulator.script({ match: { model: 'gpt-4.1' }, answer: { status: 401, body: '{"odd":1}' } });
    const statuses = [];
    for (const key of ['sk-sim-openai', 'sk-sim-openai-b', 'sk-sim-openai-b', 'sk-sim-openai-b']) {
      statuses.push((await chat('x', {}, key)).status);
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(await chat('x', { model: 'gpt-4.1' })).toMatchObject({ status: 401, text: '{"odd":1}' });
    expect((await chat('x', { model: 'gpt-4.1' })).status).toBe(200);
  });

  it('adds a directive or a fault to the call, and can delay it', async () => {
    simulator.script({ match: { tag: 'a' }, answer: { directive: 'tokens=3', delayMs: 40 } });
    simulator.script({ match: { path: '/v1/chat' }, answer: { fault: 'html' } });
    const before = performance.now();
    await chat('[[sim tag=a tokens=50]]');
    expect(performance.now() - before).toBeGreaterThanOrEqual(38);
    expect(simulator.truth.find('a')?.outputTokens).toBe(3);
    expect((await chat('x')).headers['content-type']).toContain('text/html');
  });
});

describe('wrong usage', () => {
  it('can be absent, null, of another type, negative or beyond all numbers', async () => {
    const usage = async (variant: string): Promise<string> => (await chat(`[[sim usage=${variant}]]`)).text;
    expect(await usage('none')).not.toContain('"usage"');
    expect(await usage('null')).toContain('"usage":null');
    expect(await usage('wrong-type')).toMatch(/"prompt_tokens":"\d+"/);
    expect(await usage('negative')).toMatch(/"completion_tokens":-\d+/);
    expect(await usage('huge')).toContain('"total_tokens":1e400');
  });

  it('comes on every chunk when it is repeated, and grows', async () => {
    const more = { stream: true, stream_options: { include_usage: true } };
    const { text } = await chat('[[sim tokens=3 usage=repeated]]', more);
    const figures = text.match(/(?<="completion_tokens":)\d+/g);
    expect(figures).toEqual(['0', '1', '2', '3', '3', '3']);
  });

  it('can stand last, or twice, in a plain answer', async () => {
    const late = await chat('[[sim usage=late]]');
    expect(Object.keys(JSON.parse(late.text)).at(-1)).toBe('usage');
    const { text } = await chat('[[sim tokens=3 usage=repeated]]');
    expect(text.match(/"usage":\{/g)?.length).toBe(2);
    expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion', usage: { completion_tokens: 3 } });
  });
});

describe('the statistics', () => {
  it('show how many calls ran at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => chat('[[sim tokens=3 delay=200]]')));
    expect(simulator.stats.snapshot()).toMatchObject({ requests: 5, peakOpen: 5, socketsSeen: 5 });
    await expect.poll(() => simulator.stats.snapshot().open, POLL).toBe(0);
  });
});

describe('a client', () => {
  it('that goes away is noticed; the truth stops there', async () => {
    const body = JSON.stringify({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: '[[sim tag=gone tokens=1000 pace=5]]' }],
    });
    const outgoing = request(`${simulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-openai' },
    });
    outgoing.on('error', () => {});
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response');
    await once(incoming, 'data');
    outgoing.destroy();
    await expect.poll(() => simulator.truth.find('gone')?.finished, POLL).toBe('aborted-by-client');
    const said = simulator.truth.find('gone')?.outputTokens ?? 0;
    expect(said).toBeLessThan(100);
    expect(simulator.stats.snapshot()).toMatchObject({ open: 0, aborted: 1 });
  });

  it('that does not read blocks the generator', async () => {
    const body = JSON.stringify({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: '[[sim tag=full tokens=200000]]' }],
    });
    const outgoing = request(`${simulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-openai' },
    });
    outgoing.on('error', () => {});
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response');
    incoming.pause();
    await expect.poll(() => simulator.stats.snapshot().blocked, POLL).toBe(1);
    expect(simulator.truth.find('full')?.outputTokens).toBeLessThan(200_000);
    outgoing.destroy();
    await expect.poll(() => simulator.stats.snapshot().blocked, POLL).toBe(0);
  });

  it('keeps its socket between calls, unless the vendor closes it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = async (words: string): Promise<void> => {
      const outgoing = request(`${simulator.url}/v1/chat/completions`, {
        agent,
        method: 'POST',
        headers: { authorization: 'Bearer sk-sim-openai' },
      });
      outgoing.end(
        JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: `[[sim ${words}]]` }] }),
      );
      const [incoming] = await once(outgoing, 'response');
      incoming.resume();
      await once(incoming, 'end');
    };
    await call('tokens=1');
    await call('tokens=1 fault=keepalive-close');
    expect(simulator.stats.snapshot().socketsSeen).toBe(1);
    await expect.poll(() => simulator.stats.snapshot().sockets, POLL).toBe(0);
    await call('tokens=1');
    expect(simulator.stats.snapshot().socketsSeen).toBe(2);
    agent.destroy();
  });
});

describe('a simulator in its own process', () => {
  it('is controlled and queried over its control paths', async () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const child = spawn(process.execPath, [main, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(line.toString()) as { url: string };
      const rule = [{ answer: { status: 529 } }, { answer: { directive: 'tokens=4' } }];
      const added = await post({ url: `${url}/_sim/script`, headers: {}, body: rule });
      expect(JSON.parse(added.text)).toEqual({ rules: 2 });
      const ask = (): Promise<Received> =>
        post({
          url: `${url}/v1/messages`,
          headers: { 'x-api-key': 'sk-sim-anthropic', 'anthropic-version': '2023-06-01' },
          body: {
            model: 'claude-sonnet-5',
            max_tokens: 50,
            messages: [{ role: 'user', content: '[[sim tag=far]]' }],
          },
        });
      const overloaded = await ask();
      expect([overloaded.status, overloaded.text.includes('overloaded_error')]).toEqual([529, true]);
      const answered = await ask();
      const get = async <Body>(path: string): Promise<Body> =>
        (await (await fetch(url + path)).json()) as Body;
      const truth = await get<(TruthCall & { bodyBase64: string })[]>('/_sim/truth/far');
      expect(truth.map((call) => [call.status, call.outputTokens])).toEqual([
        [529, 0],
        [200, 4],
      ]);
      expect(Buffer.from(truth[1]?.bodyBase64 ?? '', 'base64').toString()).toContain('[[sim tag=far]]');
      expect(JSON.parse(answered.text)).toMatchObject({ id: truth[1]?.responseId });
      expect(await get<StatsView>('/_sim/stats')).toMatchObject({ requests: 2, open: 0, peakOpen: 1 });
      await post({ url: `${url}/_sim/reset`, headers: {}, body: {} });
      expect(await get<TruthCall[]>('/_sim/truth')).toEqual([]);
      expect((await post({ url: `${url}/_sim/other`, headers: {}, body: {} })).status).toBe(404);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});
