import { createStore, type Store } from '../../../app/store.ts';
import { callGateway } from '../gateway.ts';
import type { Attachment, Json, Problem } from '../lanes/conversation.ts';
import { objectOf } from '../lanes/conversation.ts';
import { beginExchange, type Exchange, readable, withHead } from '../lanes/exchange.ts';
import { errorMessage, records, text } from '../wire/answer.ts';

export const SIZES = ['1024x1024', '1536x1024', '1024x1536'] as const;
export const QUALITIES = ['auto', 'low', 'medium', 'high'] as const;
export const BACKGROUNDS = ['auto', 'opaque', 'transparent'] as const;
export const FORMATS = ['png', 'webp', 'jpeg'] as const;
export const PICTURES_MAX = 10;
const RUNS_MAX = 30;

export interface ImageSettings {
  readonly size: (typeof SIZES)[number];
  readonly quality: (typeof QUALITIES)[number];
  readonly background: (typeof BACKGROUNDS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly count: number;
}

export const DEFAULT_IMAGE_SETTINGS: ImageSettings = {
  size: '1024x1024',
  quality: 'auto',
  background: 'auto',
  format: 'png',
  count: 1,
};

export interface Picture {
  readonly mediaType: string;
  readonly data: string;
}

export interface ImageRun {
  readonly id: string;
  readonly model: string;
  readonly prompt: string;
  readonly settings: ImageSettings;
  readonly state: 'running' | 'complete' | 'stopped' | 'failed';
  readonly pictures: readonly Picture[];
  /** How many came; the pictures themselves are not kept over a reload. */
  readonly made: number;
  readonly requestId: string;
  readonly startedAt: number;
  readonly totalMs: number | undefined;
  readonly problem?: Problem | undefined;
}

export interface ImageAsk {
  readonly model: string;
  readonly prompt: string;
  readonly settings: ImageSettings;
  readonly inputs: readonly Attachment[];
}

export function imageBody({ model, prompt, settings }: Omit<ImageAsk, 'inputs'>): Json {
  const { size, quality, background, format, count } = settings;
  return {
    ...{ model, prompt, n: count, size },
    ...(quality === 'auto' ? {} : { quality }),
    ...(background === 'auto' ? {} : { background }),
    ...(format === 'png' ? {} : { output_format: format }),
  };
}

export function imagePath(inputs: readonly unknown[]): string {
  return inputs.length === 0 ? '/v1/images/generations' : '/v1/images/edits';
}

/** Pictures that were asked for, newest first. */
export class ImageFeed {
  readonly runs: Store<readonly ImageRun[]>;
  readonly exchange = createStore<Exchange | undefined>(undefined);
  #running: AbortController | undefined;

  constructor(runs: readonly ImageRun[]) {
    this.runs = createStore(
      runs.map((run) => (run.state === 'running' ? { ...run, state: 'stopped' as const } : run)),
    );
  }

  stop(): void {
    this.#running?.abort();
  }

  clear(): void {
    this.stop();
    this.#running = undefined;
    this.runs.write([]);
    this.exchange.write(undefined);
  }

  async make(ask: ImageAsk): Promise<void> {
    if (this.#running !== undefined) return;
    const running = new AbortController();
    this.#running = running;
    const run = begin(ask);
    this.runs.write([run, ...this.runs.read()].slice(0, RUNS_MAX));
    const ended = await this.#call(ask, run, running.signal).catch((error: unknown) => failed(run, error));
    const totalMs = Date.now() - run.startedAt;
    const state = running.signal.aborted ? 'stopped' : ended.state;
    this.runs.write(
      this.runs.read().map((each) => (each.id === run.id ? { ...ended, state, totalMs } : each)),
    );
    if (this.#running === running) this.#running = undefined;
  }

  async #call(ask: ImageAsk, run: ImageRun, signal: AbortSignal): Promise<ImageRun> {
    const path = imagePath(ask.inputs);
    const body = imageBody(ask);
    const isEdit = ask.inputs.length > 0;
    const type = isEdit ? 'multipart/form-data' : 'application/json';
    const sent = beginExchange(
      path,
      isEdit ? { ...body, image: ask.inputs.map(({ name }) => name) } : body,
      type,
    );
    this.exchange.write(sent);
    const response = await callGateway({ path, body: isEdit ? formOf(body, ask.inputs) : body, signal });
    const answer = await response.text();
    const read = objectOf(answer) ?? {};
    this.exchange.write({ ...withHead(sent, response), received: [readable(read)] });
    const requestId = response.headers.get('x-request-id') ?? '';
    if (!response.ok) {
      const message = errorMessage(read) || `HTTP ${response.status}`;
      return { ...run, requestId, state: 'failed', problem: { message, status: response.status, requestId } };
    }
    const mediaType = `image/${ask.settings.format}`;
    const pictures = records(read.data).map((each) => ({ mediaType, data: text(each.b64_json) }));
    return { ...run, requestId, state: 'complete', pictures, made: pictures.length };
  }
}

function begin({ model, prompt, settings }: ImageAsk): ImageRun {
  return {
    ...{
      id: `${Date.now()}-${Math.random()}`,
      model,
      prompt,
      settings,
      state: 'running',
      pictures: [],
      made: 0,
    },
    ...{ requestId: '', startedAt: Date.now(), totalMs: undefined },
  };
}

function failed(run: ImageRun, error: unknown): ImageRun {
  const message = error instanceof Error ? error.message : String(error);
  return { ...run, state: 'failed', problem: { message, status: 0, requestId: run.requestId } };
}

function formOf(body: Json, inputs: readonly Attachment[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, String(value));
  for (const { name, mediaType, data } of inputs) {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    form.append('image[]', new Blob([bytes], { type: mediaType }), name);
  }
  return form;
}
