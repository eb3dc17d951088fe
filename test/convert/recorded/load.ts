import { readdirSync, readFileSync } from 'node:fs';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { RECORDINGS } from '../../needs.ts';
import { recordingsFolder } from '../../prerequisites.ts';

export type Json = Readonly<Record<string, unknown>>;

export const PROTOCOLS: readonly TextProtocol[] = ['chat', 'responses', 'messages', 'gemini'];

const FILES: Readonly<Record<TextProtocol, string>> = {
  chat: 'chat-completions',
  responses: 'responses',
  messages: 'messages',
  gemini: 'generate-content',
};

export interface Recording {
  readonly id: string;
  readonly protocol: TextProtocol;
  readonly status: number;
  readonly model: string;
  /** The client's body; nothing where only the answer was kept. */
  readonly request: Json | undefined;
  /** A plain answer, or a stream: its events, and its text as the vendor writes it. */
  readonly answer: Json | undefined;
  readonly events: readonly Json[];
  readonly text: string;
}

type Kept = Pick<Recording, 'id' | 'protocol' | 'status' | 'model' | 'request'>;

export function loadRecordings(protocol: TextProtocol): readonly Recording[] {
  return RECORDINGS.isMet ? [...fromLines(protocol), ...fromFixtures(protocol)] : [];
}

function* fromLines(protocol: TextProtocol): Generator<Recording> {
  const pattern = new RegExp(`^${FILES[protocol]}(\\.[\\w-]+)?\\.jsonl$`);
  for (const file of readdirSync(recordingsFolder).filter((name) => pattern.test(name))) {
    for (const line of readFileSync(`${recordingsFolder}/${file}`, 'utf8').trim().split('\n')) {
      const { id, status, path, model, request, response } = JSON.parse(line);
      const named = /models\/([^:]+):/.exec(path)?.[1] ?? model;
      const body = typeof request === 'object' && request !== null ? request : undefined;
      const kept: Kept = { id, protocol, status, model: named, request: body };
      if (typeof response === 'string') yield { ...kept, answer: undefined, ...readText(response) };
      else if (Array.isArray(response))
        yield streamOf(
          kept,
          response.map((one) => JSON.stringify(one)),
        );
      else yield { ...kept, answer: response, events: [], text: '' };
    }
  }
}

function* fromFixtures(protocol: TextProtocol): Generator<Recording> {
  const folder = `${recordingsFolder}/vercel-ai/${FILES[protocol]}/`;
  for (const file of readdirSync(folder)) {
    const content = readFileSync(`${folder}${file}`, 'utf8').trim();
    const kept: Kept = { id: file, protocol, status: 200, model: '', request: undefined };
    if (file.endsWith('.json')) yield { ...kept, answer: JSON.parse(content), events: [], text: '' };
    else yield* split(kept, content.split('\n'));
  }
}

/** One fixture holds the streams of a whole conversation, one after the other. */
function* split(kept: Kept, lines: readonly string[]): Generator<Recording> {
  let from = 0;
  for (const [index, line] of lines.entries()) {
    const isEnd = /^\{"type":"(message_stop|response\.completed)"/.test(line);
    if (!isEnd && index < lines.length - 1) continue;
    const id = from === 0 ? kept.id : `${kept.id}#${from}`;
    yield streamOf({ ...kept, id }, lines.slice(from, index + 1));
    from = index + 1;
  }
}

function streamOf(kept: Kept, lines: readonly string[]): Recording {
  const { protocol } = kept;
  const isNamed = protocol === 'messages' || protocol === 'responses';
  const blocks = lines.map((line) => {
    const name = isNamed ? `event: ${/"type":\s*"([^"]+)"/.exec(line)?.[1]}\n` : '';
    return `${name}data: ${line}\n\n`;
  });
  const text = blocks.join('') + (protocol === 'chat' ? 'data: [DONE]\n\n' : '');
  return { ...kept, answer: undefined, ...readText(text) };
}

/** Every event's data, read by the plainest means there are. */
function readText(text: string): Pick<Recording, 'events' | 'text'> {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return { text, events: lines.flatMap((line) => parse(line.slice('data:'.length))) };
}

/** Nothing for what is no object: `[DONE]`, and one recording of an event written into another. */
function parse(text: string): Json[] {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? [value as Json] : [];
  } catch {
    return [];
  }
}
