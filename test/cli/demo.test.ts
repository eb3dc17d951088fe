import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerText, curlLine, SHAPES } from '../../src/cli/demo/demo-shapes.ts';
import { parseMicro } from '../../src/kernel/money.ts';
import { projectRoot } from '../house/tree.ts';
import { CURL, needs } from '../needs.ts';
import { createApi, loginWith } from '../support/api.ts';
import { type Program, startProgram, TOLLGATE, tollgate, until, untilSaid } from '../support/processes.ts';

const execute = promisify(execFile);
const ADDRESS = 'http://127.0.0.1:8080';
const [readme, page] = await Promise.all(
  ['README.md', 'docs/clients.md'].map((path) => readFile(join(projectRoot, path), 'utf8')),
);
const blocks = (language: string, text = page): string[] =>
  [...(text ?? '').matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, marked]) => marked === language)
    .map(([, , text = '']) => text);

interface Report {
  readonly url: string;
  readonly api_key: string;
  readonly accounts: readonly { email: string; role: string; password: string }[];
  readonly calls: readonly {
    path: string;
    model_used: string;
    status: number;
    answer: string;
    input_tokens: number;
    output_tokens: number;
    images: number;
    amount: string;
    credits: string;
  }[];
  readonly credits_before: string;
  readonly credits_after: string;
}

/** The temporary folder of the demo, so that what it leaves behind can be seen. */
let folder: string;
let program: Program;
let report: Report;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-demo-test-'));
  await chmod(folder, 0o711);
  const environment = { TMPDIR: folder, TOLLGATE_PORT: '0', OPENAI_API_KEY: 'sk-not-for-the-demo' };
  program = startProgram([TOLLGATE, 'demo', '--json'], environment);
  report = JSON.parse(await untilSaid(program, /^(\{.*\})$/m)) as Report;
});

afterAll(async () => {
  program.kill('SIGTERM');
  await program.exited;
  await rm(folder, { recursive: true, force: true });
});

const micro = (text: string): bigint => parseMicro(text) ?? -1n;

describe('the demo', () => {
  test('sends one call in each of the five protocols and prints the answers', () => {
    expect(report.calls.map(({ path, status }) => `${status} ${path}`)).toEqual([
      '200 /v1/chat/completions',
      '200 /v1/responses',
      '200 /v1/messages',
      '200 /v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
      '200 /v1/images/generations',
    ]);
    const used = report.calls.map(({ model_used }) => model_used);
    expect(used).toEqual(['gpt-5', 'gpt-5', 'claude-sonnet-5', 'gemini-3-pro', 'gpt-image-1']);
    for (const { answer, output_tokens } of report.calls.slice(0, 4)) {
      // The simulators speak in words of one token each.
      expect(answer.split(' ')).toHaveLength(output_tokens);
    }
    expect(report.calls[4]?.answer).toMatch(/^\(a picture of [1-9]\d+ bytes\)$/);
  });

  test('prints what each call cost by the prices of its catalogue, and the remaining Credits', () => {
    const [chat, , messages, , image] = report.calls;
    expect(micro(chat?.amount ?? '')).toBe(
      BigInt((chat?.input_tokens ?? 0) * 9 + (chat?.output_tokens ?? 0) * 72),
    );
    // 21.6 yuan for a million input tokens, 108 for output; what is below a micro-yuan is cut.
    const tenths = (messages?.input_tokens ?? 0) * 216 + (messages?.output_tokens ?? 0) * 1080;
    expect(micro(messages?.amount ?? '')).toBe(BigInt(Math.floor(tenths / 10)));
    expect(image).toMatchObject({ images: 1, amount: '0.3', credits: '300' });
    const charged = report.calls.reduce((sum, { credits }) => sum + micro(credits), 0n);
    expect(report.calls.every(({ amount, credits }) => micro(credits) === micro(amount) * 1000n)).toBe(true);
    expect(micro(report.credits_before)).toBe(micro('10000'));
    expect(micro(report.credits_after)).toBe(micro('10000') - charged);
  });

  test('creates a user and an operator, each with a password of its own', () => {
    expect(report.accounts.map(({ email, role }) => `${role} ${email}`)).toEqual([
      'user user@example.com',
      'operator operator@example.com',
    ]);
    const [user, operator] = report.accounts;
    expect(user?.password).toMatch(/^[\w-]{16}$/);
    expect(user?.password).not.toBe(operator?.password);
  });

  test('has a month of calls and keeps more coming, and its ledger is correct', async () => {
    const operator = report.accounts[1];
    const api = createApi(report.url);
    const token = await loginWith(api, operator?.email ?? '', operator?.password ?? '');
    const newest = async (): Promise<string> => {
      const { body } = await api('GET', '/api/v1/admin/calls?size=1', { token });
      return body.data.calls[0].request_id;
    };
    const first = await newest();
    await until(async () => (await newest()) !== first);
    const [data = ''] = await readdir(folder);
    const { stdout } = await tollgate(['doctor', '--json'], { TOLLGATE_DATA: join(folder, data) });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
  });

  test('has a model of embeddings, which is answered and charged', async () => {
    const headers = { authorization: `Bearer ${report.api_key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'text-embedding-3-small', input: 'A toll gate at dawn' });
    const response = await fetch(`${report.url}/v1/embeddings`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as { readonly data: readonly { embedding: number[] }[] };
    expect(answer.data[0]?.embedding).toHaveLength(1536);
  });

  test('serves on the loopback address only, and reports that it is ready', async () => {
    expect(report.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${report.url}/readyz`)).status).toBe(200);
  });
});

describe('the README', () => {
  const environment = () => ({ PATH: process.env.PATH ?? '', KEY: report.api_key, no_proxy: '*' });

  test('has a curl line that works unchanged', needs(CURL), async () => {
    const script = (blocks('sh', readme)[0] ?? '').replace(ADDRESS, report.url);
    const { stdout } = await execute('/bin/sh', ['-c', script], { env: environment() });
    expect(stdout).toContain('HTTP/1.1 200 OK');
    expect(stdout).toMatch(/"object": ?"chat\.completion"/);
    expect(stdout).toMatch(/^x-request-id: req_/m);
  });

  test('has an example for an SDK that works unchanged', async () => {
    const example = (blocks('js', readme)[0] ?? '').replace(ADDRESS, report.url);
    const code = `${example}console.log(answer.choices[0].message.content);`;
    const options = { cwd: projectRoot, env: environment() };
    const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', code], options);
    expect(stdout.trim().split(' ').length).toBeGreaterThan(5);
  });

  test('shows what the demo prints', () => {
    const shown = blocks('', readme).find((text) => text.startsWith('Messages: ')) ?? '';
    const [, , messages] = report.calls;
    const { answer = '', input_tokens, output_tokens, amount, credits } = messages ?? {};
    const words = answer.split(' ').slice(0, 8).join(' ');
    expect(shown).toContain(`  claude-sonnet-5: ${words}`);
    expect(shown).toContain(
      `  ${input_tokens} tokens in, ${output_tokens} out; ${amount} yuan, ${credits} Credits\n`,
    );
    for (const { email } of report.accounts) expect(shown).toContain(email);
  });
});

describe('docs/clients.md', () => {
  test('has the curl lines that the demo prints', () => {
    const [shown = ''] = blocks('sh');
    const expected = SHAPES.map((shape) => `# ${shape.name}\n${curlLine(shape, ADDRESS, '$KEY')}\n`);
    expect(shown).toBe(expected.join('\n'));
  });

  test('has curl lines that work unchanged', needs(CURL), async () => {
    const lines = (blocks('sh')[0] ?? '').split(/^# .*\n/m).slice(1);
    expect(lines).toHaveLength(SHAPES.length);
    for (const [index, shape] of SHAPES.entries()) {
      const script = (lines[index] ?? '').replace(ADDRESS, report.url);
      const options = { env: { PATH: process.env.PATH ?? '', KEY: report.api_key, no_proxy: '*' } };
      const { stdout } = await execute('/bin/sh', ['-c', script], options);
      expect(answerText(shape, stdout), script).not.toBe('');
      expect(answerText(shape, stdout)).toBe(report.calls[index]?.answer);
    }
  });

  test.for(['openai', '@anthropic-ai/sdk', '@google/genai'])('has a working example for %s', async (sdk) => {
    const example = blocks('js').find((text) => text.includes(`from '${sdk}'`)) ?? '';
    const code = example.replace(ADDRESS, report.url);
    const options = {
      cwd: projectRoot,
      env: { PATH: process.env.PATH ?? '', KEY: report.api_key },
    };
    const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', code], options);
    const [chat, responses, messages, gemini] = report.calls.map(({ answer }) => answer);
    const expected: Record<string, unknown[]> = {
      openai: [chat, responses, expect.stringMatching(/^[1-9]\d+$/)],
      '@anthropic-ai/sdk': [messages],
      '@google/genai': [gemini],
    };
    expect(stdout.trimEnd().split('\n')).toEqual(expected[sdk]);
  });
});

describe('a demo', () => {
  let busy: Server;

  beforeAll(async () => {
    busy = createServer();
    // Whoever has the port: it is not free.
    await new Promise<void>((resolve) => {
      busy.once('error', () => resolve());
      busy.listen(8080, '127.0.0.1', resolve);
    });
  });
  afterAll(() => void busy.close());

  test('uses another port when the default one is in use, prints for people, and ends on a signal', async () => {
    const { code, stdout, stderr } = await tollgate(['demo', '--once'], { TMPDIR: folder });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('Messages: POST /v1/messages\n  claude-sonnet-5: ');
    expect(stdout).toMatch(/\d+ tokens in, \d+ out; 0\.\d+ yuan, \d+(\.\d+)? Credits/);
    expect(stdout).toMatch(/10000 before the five calls, \d+(\.\d+)? after/);
    expect(stdout).toContain('Port 8080 is in use, so the demo uses another one. TOLLGATE_PORT sets it.');
    expect(stdout).not.toContain(`${ADDRESS}\n`);
  });

  test('reports what to do when the given port is in use', async () => {
    const port = new URL(report.url).port;
    const { code, stderr } = await tollgate(['demo', '--once'], { TMPDIR: folder, TOLLGATE_PORT: port });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `tollgate demo: cannot listen on 127.0.0.1:${port}: the port is in use; ` +
        'stop the process that uses it, or change TOLLGATE_PORT\n',
    );
  });

  test('leaves nothing behind when Ctrl-C stops it, even if the signal comes twice', async () => {
    program.kill('SIGINT');
    program.kill('SIGINT');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(await readdir(folder)).toEqual([]);
    expect(program.stderr()).toBe('');
  });
});

/** What `reader` leaves unread is all that is said, so no write tells the demo that it is gone. */
test.each(['head -n 4', "sed '/^Ctrl-C stops/q'"])(
  'the demo ends and leaves nothing behind when `%s` has read enough',
  async (reader) => {
    const own = await mkdtemp(join(tmpdir(), 'tollgate-demo-test-'));
    await chmod(own, 0o711);
    try {
      const env = { ...process.env, TMPDIR: own, TOLLGATE_PORT: '0' };
      const line = `"${process.execPath}" src/main.ts demo | ${reader}`;
      const { stdout } = await execute('sh', ['-c', line], { cwd: projectRoot, env });
      expect(stdout).toContain('Chat Completions');
      expect(await readdir(own)).toEqual([]);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  },
);
