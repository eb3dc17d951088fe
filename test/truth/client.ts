import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Simulator } from '../../sim/server.ts';
import type { Run } from './cells.ts';
import { CLIENTS } from './dialects.ts';
import type { Leave } from './endings.ts';

/** One call as its client saw it. */
export interface Seen {
  /** 0: it had no answer, or left before it. */
  readonly status: number;
  /** Tokens of text it could read: every word of the simulator is one. */
  readonly delivered: number;
  /** It left by itself, and did not wait in vain for the moment to do so. */
  readonly left: boolean;
}

/** What a client that is about to leave may look at. */
interface Moment {
  readonly bytes: number;
  readonly delivered: number;
  readonly asked: boolean;
  readonly answering: boolean;
  /** Since the vendor was asked, and since the client last read a word. */
  readonly askedMs: number;
  readonly quietMs: number;
}

/** Looked at after every chunk, and this often while nothing comes. */
const LOOK_MS = 10;
/** No ending takes longer; a client that waits longer has missed its moment. */
const PATIENCE_MS = 15_000;
/** What an event that the vendor has sent needs to pass through the gateway, on a busy machine too. */
const PASSAGE_MS = 500;

const IS_TIME: Readonly<Record<Leave, (moment: Moment, run: Run) => boolean>> = {
  never: () => false,
  'vendor-at-work': ({ asked }) => asked,
  'head-sent': ({ answering, askedMs }) => answering && askedMs > PASSAGE_MS,
  'answer-half-sent': ({ answering, askedMs }) => answering && askedMs > PASSAGE_MS / 2,
  'first-byte': ({ bytes }) => bytes > 0,
  'at-token': ({ delivered }, { at }) => delivered >= at,
  'last-token': ({ delivered }, { tokens }) => delivered >= tokens,
  'behind-last-token': ({ delivered, quietMs }, { tokens }) => delivered >= tokens && quietMs > PASSAGE_MS,
};

export interface Gateway {
  readonly url: string;
  readonly key: string;
  readonly simulator: Simulator;
}

/** Makes the call of a run and leaves it when its ending says so; it never throws. */
export function call({ url, key, simulator }: Gateway, run: Run): Promise<Seen> {
  const { cell, system, turns, tools, tag } = run;
  const client = CLIENTS[cell.client];
  const conversation = { model: cell.model, form: cell.form, system, turns, tools };
  const outgoing = request(url + client.path(conversation), {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
  });
  const reader = cell.form === 'stream' ? new EventText(client.text) : new AnswerText(client.text);
  let readAt = 0;
  let read = 0;
  const isTime = (): boolean => {
    const truth = simulator.truth.find(tag);
    const asked = (truth?.responseId ?? '') !== '';
    const { bytes, delivered } = reader;
    if (delivered > read) readAt = performance.now();
    read = delivered;
    const moment = {
      bytes,
      delivered,
      asked,
      answering: truth?.status === 200,
      askedMs: Date.now() - (truth?.startedAtMs ?? Date.now()),
      quietMs: performance.now() - readAt,
    };
    return IS_TIME[cell.course.leave](moment, run);
  };
  const seen = follow(outgoing, reader, isTime);
  outgoing.end(JSON.stringify(client.body(conversation)));
  return seen;
}

interface Reader {
  readonly bytes: number;
  readonly delivered: number;
  push(chunk: Buffer): void;
}

function follow(outgoing: ClientRequest, reader: Reader, isTime: () => boolean): Promise<Seen> {
  return new Promise((resolve) => {
    let status = 0;
    const finish = (left: boolean): void => {
      clearInterval(looking);
      clearTimeout(waiting);
      resolve({ status, delivered: reader.delivered, left });
      outgoing.destroy();
    };
    const look = (): void => {
      if (isTime()) finish(true);
    };
    const looking = setInterval(look, LOOK_MS);
    const waiting = setTimeout(() => finish(false), PATIENCE_MS);
    outgoing.on('error', () => finish(false));
    outgoing.on('response', (incoming: IncomingMessage) => {
      status = incoming.statusCode ?? 0;
      incoming.on('data', (chunk: Buffer) => {
        reader.push(chunk);
        look();
      });
      incoming.on('error', () => finish(false));
      incoming.on('close', () => finish(false));
    });
  });
}

type TextOf = (value: Record<string, unknown>) => string;

/** A plain answer says nothing until it is whole. */
class AnswerText implements Reader {
  bytes = 0;
  delivered = 0;
  readonly #textOf: TextOf;
  #body = '';

  constructor(textOf: TextOf) {
    this.#textOf = textOf;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#body += chunk.toString('latin1');
    const answer = parsed(this.#body);
    if (answer !== undefined) this.delivered = wordsIn(this.#textOf(answer));
  }
}

/** A stream says what its whole events say. */
class EventText implements Reader {
  bytes = 0;
  delivered = 0;
  readonly #textOf: TextOf;
  #pending = '';
  #said = '';

  constructor(textOf: TextOf) {
    this.#textOf = textOf;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    // Latin-1 keeps every byte apart: words are told by their spaces, whatever their letters are.
    const events = (this.#pending + chunk.toString('latin1')).split(/\r?\n\r?\n/);
    this.#pending = events.pop() ?? '';
    for (const event of events) {
      const data = parsed(/^data: (.*)$/m.exec(event)?.[1] ?? '');
      if (data !== undefined) this.#said += this.#textOf(data);
    }
    this.delivered = wordsIn(this.#said);
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function wordsIn(text: string): number {
  return text.split(' ').filter((word) => word !== '').length;
}
