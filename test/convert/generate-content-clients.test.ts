import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camelize } from '../../sim/google/camel.ts';
import { GENERATE_REQUEST } from '../../sim/google/shape.ts';
import { refuseGenerate } from '../../sim/google/validate.ts';
import { findGoogle, type GoogleModel } from '../../sim/models.ts';
import type { Json } from '../../sim/request/json.ts';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { getCapabilities } from '../../src/protocol/capability/table.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { recordingsFolder } from '../prerequisites.ts';

/** Requests that their own vendor accepted. */
function requestsOf(name: string): readonly object[] {
  const files = readdirSync(recordingsFolder).filter((file) => file.startsWith(`${name}.`));
  const lines = files.flatMap((file) =>
    readFileSync(join(recordingsFolder, file), 'utf8').trim().split('\n'),
  );
  const exchanges = lines.map((line) => JSON.parse(line));
  return exchanges.flatMap(({ status, request }) => (status === 200 && isBody(request) ? [request] : []));
}

function isBody(request: unknown): boolean {
  return typeof request === 'object' && request !== null;
}

/** The conversion, or why there is none. */
function convert(
  client: TextProtocol,
  body: object,
  target: { protocol: TextProtocol; model: string },
): Conversion | string {
  const path = client === 'gemini' ? ({ model: 'x', stream: false, framing: 'sse' } as const) : undefined;
  const contentType = 'application/json';
  const read = readClientRequest(client, { body: Buffer.from(JSON.stringify(body)), contentType, path });
  if (!('request' in read)) return read.message ?? '';
  const capabilities = getCapabilities(target.protocol, target.model);
  const identity = { modelId: 'house', callId: 'call1', createdAtS: 1 };
  const made = convertRequest(read, { ...target, issuer: 'vendor-1', capabilities }, identity);
  return 'body' in made ? made : (made.message ?? '');
}

/** Content that one side keeps, or that the other has no place for: nothing else may be refused. */
const NO_PLACE = [
  /this vendor fetches no addresses|must be sent as bytes/,
  /(?:kept|known) (?:at|to|here)|only its own vendor|not known here|fetched later/,
  /is not read by this vendor|cannot be sent|has no place|in fragments|must be an object/,
];

/** Hundreds of conversions each, on a machine that may be busy. */
const LONG = { timeout: 300_000 };

describe('recorded requests of other clients', { ...needs(RECORDINGS), ...LONG }, () => {
  const CLIENTS = [
    ['chat', 'chat-completions', 400],
    ['messages', 'messages', 200],
    ['responses', 'responses', 250],
  ] as const;

  it.each(CLIENTS)('in %s reach Gemini, which accepts all of them', (client, name, least) => {
    for (const modelName of ['gemini-3-pro', 'gemini-2.5-flash']) {
      const model = findGoogle(modelName) as GoogleModel;
      let accepted = 0;
      for (const request of requestsOf(name)) {
        const made = convert(client, request, { protocol: 'gemini', model: modelName });
        if (typeof made === 'string') {
          expect(
            NO_PLACE.some((reason) => reason.test(made)),
            made,
          ).toBe(true);
          continue;
        }
        const body = camelize(GENERATE_REQUEST, JSON.parse(made.body.toString())) as Json;
        expect(refuseGenerate(body, model, '/v1beta/models/x:generateContent')).toBeUndefined();
        accepted++;
      }
      expect(accepted).toBeGreaterThan(least);
    }
  });
});

describe('recorded requests of Google clients', { ...needs(RECORDINGS), ...LONG }, () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());

  const OPENAI = { authorization: 'Bearer sk-sim-openai' };
  const ANTHROPIC = { 'x-api-key': 'sk-sim-anthropic', 'anthropic-version': '2023-06-01' };
  const VENDORS = [
    ['chat', 'gpt-4.1', '/v1/chat/completions', OPENAI],
    ['responses', 'gpt-5.6', '/v1/responses', OPENAI],
    ['messages', 'claude-opus-4-8', '/v1/messages', ANTHROPIC],
  ] as const;

  it.each(VENDORS)('reach a vendor of %s, and its answer comes back', async (protocol, model, path, key) => {
    let answered = 0;
    for (const request of requestsOf('generate-content')) {
      const made = convert('gemini', request, { protocol, model });
      if (typeof made === 'string') {
        expect(
          NO_PLACE.some((reason) => reason.test(made)),
          made,
        ).toBe(true);
        continue;
      }
      const headers = { 'content-type': 'application/json', ...key };
      const body = new Uint8Array(made.body);
      const response = await fetch(`${simulator.url}${path}`, { method: 'POST', headers, body });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const answer = made.convertAnswer(Buffer.from(text));
      const { candidates, ...rest } = JSON.parse(String(answer));
      expect(candidates[0].content.parts.length).toBeGreaterThan(0);
      expect(candidates[0].finishReason).toMatch(/^(?:STOP|MAX_TOKENS)$/);
      expect(rest).toMatchObject({
        usageMetadata: { totalTokenCount: expect.any(Number) },
        modelVersion: 'house',
        responseId: 'call1',
      });
      answered++;
    }
    expect(answered).toBeGreaterThan(290);
  });
});
