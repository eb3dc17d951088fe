import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, RECORDINGS } from '../../../test/needs.ts';
import { recordingsFolder } from '../../../test/prerequisites.ts';
import { isObject, type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import { Inexpressible } from '../hub/notes.ts';
import { decodeWhole } from '../suite/reported.ts';
import { geminiCodec } from './codec.ts';
import { createGeminiSession, decodeBody, decodeChunks, encodeEvents, parseChunks } from './suite/sample.ts';

interface Recording {
  readonly id: string;
  readonly request: JsonObject | undefined;
  readonly answer: JsonObject | undefined;
  readonly chunks: readonly JsonObject[] | undefined;
}

function load(): readonly Recording[] {
  const files = readdirSync(recordingsFolder).filter((name) =>
    /^generate-content(\.[\w-]+)?\.jsonl$/.test(name),
  );
  const lines = files.flatMap((name) =>
    readFileSync(`${recordingsFolder}/${name}`, 'utf8').trim().split('\n'),
  );
  const exchanges = lines.map((line): Recording => {
    const { id, request, response } = JSON.parse(line);
    const text = typeof response === 'string' ? response.replaceAll('\r\n', '\n') : '';
    const chunks = Array.isArray(response) ? response : text === '' ? undefined : parseChunks(text);
    return { id, request, answer: isObject(response) ? response : undefined, chunks };
  });
  const samples = readdirSync(`${recordingsFolder}/vercel-ai/generate-content`).map((name): Recording => {
    const text = readFileSync(`${recordingsFolder}/vercel-ai/generate-content/${name}`, 'utf8').trim();
    const isStream = name.endsWith('.txt');
    return {
      id: name,
      request: undefined,
      answer: isStream ? undefined : JSON.parse(text),
      chunks: isStream ? text.split('\n').map((line) => JSON.parse(line)) : undefined,
    };
  });
  return [...exchanges, ...samples];
}

/** What must survive: words, thoughts, calls, signatures and results of tools, each in its order. */
function contentOf(chunks: readonly JsonObject[]): Record<string, unknown> {
  const content = { text: '', thoughts: '', signatures: [] as unknown[], others: [] as unknown[] };
  for (const part of chunks.flatMap(partsOf)) {
    const { thoughtSignature, text, thought, ...other } = part;
    if (thoughtSignature !== undefined) content.signatures.push(thoughtSignature);
    if (typeof text === 'string') content[thought === true ? 'thoughts' : 'text'] += text;
    else if (other.functionCall !== undefined) {
      const { args, id, name } = other.functionCall as JsonObject;
      content.others.push({ args: args ?? {}, id, name });
    } else if (other.inlineData !== undefined) {
      const { mimeType, data } = other.inlineData as JsonObject;
      content.others.push({ mimeType, data });
    } else content.others.push(other);
  }
  return content;
}

function partsOf(chunk: JsonObject): readonly JsonObject[] {
  const [candidate] = (chunk.candidates ?? []) as readonly JsonObject[];
  return ((candidate?.content as JsonObject | undefined)?.parts ?? []) as readonly JsonObject[];
}

const FIGURES = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
] as const;

/** The hub has one word for all that was filtered, and a failed end of words is an end. */
const COARSE: Readonly<Record<string, string>> = { MODEL_ARMOR: 'SAFETY', UNEXPECTED_TOOL_CALL: 'STOP' };

function endOf(chunks: readonly JsonObject[]): Record<string, unknown> {
  const reasons = chunks
    .flatMap((chunk) => (chunk.candidates ?? []) as readonly JsonObject[])
    .map((candidate) => candidate.finishReason)
    .filter((reason) => reason !== undefined);
  const usage: JsonObject = Object.assign({}, ...chunks.map((chunk) => chunk.usageMetadata));
  const figures = FIGURES.map((name) => usage[name] ?? 0);
  const reason = String(reasons.at(-1) ?? 'STOP');
  return { reason: COARSE[reason] ?? reason, figures };
}

/** Google wrote arguments in fragments, which nobody asks for on a converted call. */
const isFragmented = (chunks: readonly JsonObject[]): boolean =>
  JSON.stringify(chunks).includes('"partialArgs"') || JSON.stringify(chunks).includes('"willContinue"');

const isFailure = (chunks: readonly JsonObject[]): boolean =>
  chunks.some((chunk) => chunk.error !== undefined);

describe('recorded exchanges with Google', needs(RECORDINGS), () => {
  const recordings = RECORDINGS.isMet ? load() : [];
  const session = createGeminiSession();

  it('decode and encode back with the same content, reason and usage when plain', () => {
    const plain = recordings.filter(({ answer }) => answer !== undefined && answer.error === undefined);
    expect(plain.length).toBeGreaterThan(100);
    for (const { id, answer } of plain) {
      const body = readJson(JSON.stringify(answer), geminiCodec.rawKeys) ?? {};
      const decoded = decodeWhole(geminiCodec, body, session);
      if ('status' in decoded) throw new Error(`${id}: ${decoded.message}`);
      const again: JsonObject = JSON.parse(writeJson(geminiCodec.encodeAnswer(decoded, session)));
      expect(contentOf([again]), id).toEqual(contentOf([answer ?? {}]));
      expect(endOf([again]), id).toEqual(endOf([answer ?? {}]));
    }
  });

  it('decode and encode back with the same content, reason and usage when streamed', () => {
    const streams = recordings.filter(({ chunks }) => chunks !== undefined && !isFailure(chunks));
    const whole = streams.filter(({ chunks }) => !isFragmented(chunks ?? []));
    expect(whole.length).toBeGreaterThan(30);
    expect(streams.length - whole.length).toBeLessThan(8);
    for (const { id, chunks = [] } of whole) {
      const events = decodeChunks(chunks, session);
      const again = parseChunks(encodeEvents(events, session));
      expect(contentOf(again), id).toEqual(contentOf(chunks));
      expect(endOf(again), id).toEqual(endOf(chunks));
    }
  });

  it('decode recorded errors as errors', () => {
    const failed = recordings.filter(({ answer }) => answer?.error !== undefined);
    expect(failed.length).toBeGreaterThan(3);
    for (const { answer = {} } of failed) {
      const { code, status, message } = answer.error as JsonObject;
      expect(decodeWhole(geminiCodec, answer, session)).toMatchObject({
        status: code,
        type: status,
        message,
      });
    }
  });

  it('decode every request, except what is stored at Google or only Google can read', () => {
    const refused = new Map<string, number>();
    let decoded = 0;
    for (const { request } of recordings) {
      if (request === undefined) continue;
      try {
        decodeBody(request);
        decoded++;
      } catch (error) {
        if (!(error instanceof Inexpressible)) throw error;
        const where = error.message.replace(/\[\d+\]/g, '[]').split(': ', 1)[0] ?? '';
        refused.set(where, (refused.get(where) ?? 0) + 1);
      }
    }
    expect(decoded).toBeGreaterThan(300);
    expect([...refused.keys()].toSorted()).toEqual([
      'cachedContent',
      'contents[].parts[].functionCall.partialArgs',
    ]);
  });
});
