import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, RECORDINGS } from '../../../test/needs.ts';
import { recordingsFolder } from '../../../test/prerequisites.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RequestFacts } from '../dialect.ts';
import { getDialect } from '../registry.ts';

type Json = Record<string, unknown>;

const FILES: readonly (readonly [Protocol, RegExp])[] = [
  ['chat', /^chat-completions(\.[\w-]+)?\.jsonl$/],
  ['responses', /^responses(\.[\w-]+)?\.jsonl$/],
  ['messages', /^messages(\.[\w-]+)?\.jsonl$/],
  ['gemini', /^generate-content(\.[\w-]+)?\.jsonl$/],
];

/** Every object of an answer, or of its stream, that may hold figures. */
function reportsIn(response: unknown): Json[] {
  if (typeof response !== 'string') return [response].flat().filter(isJson);
  return response.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line.replace(/^data: ?/, ''))].flat().filter(isJson);
    } catch {
      return [];
    }
  });
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The input that the vendor counted, read by the plainest means there are. */
function countedBy(protocol: Protocol, response: unknown): number {
  const figures: Json = {};
  for (const report of reportsIn(response)) {
    const inner = [report.response, report.message].filter(isJson);
    for (const one of [report, ...inner]) Object.assign(figures, one.usage, one.usageMetadata);
  }
  const figure = (name: string): number => Number(figures[name] ?? 0);
  if (protocol === 'chat') return figure('prompt_tokens');
  if (protocol === 'gemini') return figure('promptTokenCount');
  const cached = figure('cache_read_input_tokens') + figure('cache_creation_input_tokens');
  return figure('input_tokens') + (protocol === 'messages' ? cached : 0);
}

async function findEstimate(protocol: Protocol, model: string, request: object): Promise<number | undefined> {
  const body = Buffer.from(JSON.stringify(protocol === 'gemini' ? request : { model, ...request }));
  const path = { model, stream: false, framing: 'sse' } as const;
  const facts: unknown = await getDialect(protocol).readRequest({
    body,
    contentType: 'application/json',
    path,
  });
  return isRefusal(facts) ? undefined : (facts as RequestFacts).inputTokensEstimate;
}

/** Estimate by count, of every recorded request whose vendor told its input. */
async function ratios(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const [protocol, name] of FILES) {
    for (const file of readdirSync(recordingsFolder).filter((one) => name.test(one))) {
      for (const line of readFileSync(`${recordingsFolder}/${file}`, 'utf8').trim().split('\n')) {
        const { request, response, status, model = 'm' } = JSON.parse(line);
        const counted = status === 200 && isJson(request) ? countedBy(protocol, response) : 0;
        const estimate = counted > 0 ? await findEstimate(protocol, model, request) : undefined;
        if (estimate !== undefined) found.push(estimate / counted);
      }
    }
  }
  return found.toSorted((one, other) => one - other);
}

describe('the estimates of the recordings', needs(RECORDINGS), () => {
  it('are below the reported input in at most one request of a hundred', async () => {
    const all = await ratios();
    const under = all.filter((ratio) => ratio < 1).length;
    const median = all[all.length >> 1] ?? 0;
    console.log(
      `recordings | input estimate | ${all.length} requests | ${under} above it, median ${median.toFixed(2)}`,
    );
    expect(all.length).toBeGreaterThan(1_000);
    expect(under / all.length).toBeLessThanOrEqual(0.01);
    expect(median).toBeLessThan(4);
  });
});

describe('the estimate contains what a vendor adds', () => {
  const ask = { messages: [{ role: 'user', content: 'Hello' }] };
  const estimate = async (model: string, more: object): Promise<number> =>
    (await findEstimate('messages', model, { ...ask, ...more })) ?? 0;

  it('such as a preamble for tools, and what its own tools find', async () => {
    const plain = await estimate('claude-x', {});
    const own = await estimate('claude-x', { tools: [{ name: 'f', input_schema: { type: 'object' } }] });
    expect(own - plain).toBeGreaterThan(500);
    const searched = await estimate('claude-x', {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    });
    expect(searched - own).toBeGreaterThan(20_000);
  });

  it('but nothing for a client tool with such a name', async () => {
    const named = await estimate('claude-x', { tools: [{ name: 'web_search', input_schema: {} }] });
    expect(named).toBeLessThan(2_000);
  });
});

it('a text counts about the same with and without escapes', async () => {
  const text = '网关为每个调用预留费用，然后按实际用量结算。'.repeat(300);
  const raw = { contentType: 'application/json', path: undefined };
  const written = JSON.stringify({ model: 'gpt-x', messages: [{ role: 'user', content: text }] });
  const escaped = written.replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const [plain, other] = [written, escaped].map((body) =>
    getDialect('chat').readRequest({ ...raw, body: Buffer.from(body) }),
  ) as [RequestFacts, RequestFacts];
  expect(plain.inputTokensEstimate).toBeGreaterThanOrEqual(text.length);
  expect(other.inputTokensEstimate / plain.inputTokensEstimate).toBeGreaterThan(1);
  expect(other.inputTokensEstimate / plain.inputTokensEstimate).toBeLessThan(2.5);
});
