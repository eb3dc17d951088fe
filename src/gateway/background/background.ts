import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../kernel/encoding/hash.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { isObject, readJson } from '../../protocol/hub/content/json.ts';
import { type BackgroundState, writeBackground } from '../../protocol/responses/stored/background.ts';
import { packResponse } from '../../protocol/responses/stored/kept-response.ts';
import type { Call } from '../call.ts';
import type { Received } from '../call-runner.ts';
import { keyOfResponse } from '../convert/conversation-load.ts';
import { sendStored } from '../endpoints/stored-answer.ts';
import type { Gateway } from '../gateway.ts';
import { DetachedResponse } from './detached-response.ts';

/** A call that is refused within this time is refused at once, like any other. */
const EARLY_MS = 250;
/** Another node may have been told to cancel it. */
const CANCEL_LOOK_MS = 2_000;
const ID_LENGTH = 48;
const FAILED = 'The response could not be produced';

export interface BackgroundWork {
  readonly request: IncomingMessage;
  readonly gateway: Gateway;
  /** Runs the call and answers `received.response`. */
  run(received: Received): Promise<Refusal | undefined>;
  /** Settles a call that was refused, or that failed, after its client has got the first answer. */
  settle(end: { readonly refusal: Refusal } | { readonly error: unknown }, detached: DetachedResponse): void;
}

/** A client that asks whether the response was cancelled elsewhere finds this. */
export function keyOfCancel(id: string): string {
  return `cancel:${id}`;
}

/**
 * Responses with `background`: the client gets an answer that names the response, and the call goes on
 * without it. The vendor gets an ordinary request. The answer is stored under the id that the client knows.
 */
export async function runInBackground(
  call: Call,
  received: Received,
  work: BackgroundWork,
): Promise<Refusal | undefined> {
  const { raw, facts, response } = received;
  const { memory } = facts;
  if (memory === undefined) return undefined;
  if (facts.stream)
    return refuse('notExpressible', { message: 'A response in the background is not streamed' });
  if (!memory.keep) return refuse('notExpressible', { message: '"background" needs "store" to be true' });
  // Both words have four letters, so everything stays where it was found.
  for (const { start } of memory.background) raw.body.write('null', start, 'latin1');
  const job = new BackgroundJob(call, received, work);
  await job.store('in_progress');
  const early = await job.start();
  if (isRefusal(early)) return early;
  if (early === 'failed') {
    const { status, body } = job.detached;
    response.writeHead(status, ['content-type', 'application/json; charset=utf-8', 'x-request-id', call.id]);
    response.end(body);
    return undefined;
  }
  sendStored({ response, requestId: call.id, protocol: 'responses' }, job.write('queued'));
  await job.finish();
  return undefined;
}

type Ended = { readonly refusal: Refusal | undefined } | { readonly error: unknown };

class BackgroundJob {
  readonly detached: DetachedResponse;
  readonly #call: Call;
  readonly #received: Received;
  readonly #work: BackgroundWork;
  readonly #id: string;
  #isCancelled = false;
  #running: Promise<Ended> = Promise.resolve({ refusal: undefined });

  constructor(call: Call, received: Received, work: BackgroundWork) {
    this.#call = call;
    this.#received = received;
    this.#work = work;
    this.#id = `resp_${sha256Hex(`background ${call.id}`).slice(0, ID_LENGTH)}`;
    this.detached = new DetachedResponse(work.request);
    call.responseId = this.#id;
  }

  /** What the call ended with before the client had to wait; `running` if it goes on. */
  async start(): Promise<Refusal | 'failed' | 'running'> {
    const { run, gateway } = this.#work;
    const accountId = this.#call.caller.account.id;
    gateway.running.began(accountId, this.#id, () => this.#cancel());
    this.#running = run({ ...this.#received, response: this.detached.response })
      .then((refusal): Ended => ({ refusal }))
      .catch((error: unknown): Ended => ({ error }))
      .finally(() => gateway.running.ended(accountId, this.#id));
    const early = await Promise.race([this.#running, sleep(EARLY_MS, undefined)]);
    if (early === undefined) return 'running';
    const isRefused = 'error' in early || early.refusal !== undefined;
    if (!isRefused && this.detached.status < 400) return 'running';
    await gateway.deps.conversations.forget(accountId, keyOfResponse(this.#id));
    if ('error' in early) throw early.error;
    return early.refusal ?? 'failed';
  }

  /** Waits for the end of the call. Its answer is stored by those who relay it; here, all other ends. */
  async finish(): Promise<void> {
    const looking = setInterval(() => void this.#lookForCancel(), CANCEL_LOOK_MS);
    const ended = await this.#running;
    clearInterval(looking);
    if ('error' in ended || ended.refusal !== undefined) {
      const end = 'error' in ended ? ended : { refusal: ended.refusal as Refusal };
      this.#work.settle(end, this.detached);
    }
    if (this.#isCancelled) await this.store('cancelled');
    else if ('error' in ended) await this.store('failed', FAILED);
    else if (ended.refusal !== undefined) await this.store('failed', ended.refusal.message);
    else if (this.detached.status >= 400) await this.store('failed', messageOf(this.detached.body));
  }

  write(status: BackgroundState['status'], message?: string): string {
    const { createdAtMs } = this.#call;
    const { model } = this.#received.facts;
    const why = message === undefined ? {} : { message };
    return writeBackground({ id: this.#id, model, createdAtMs, status, ...why });
  }

  async store(status: BackgroundState['status'], message?: string): Promise<void> {
    const { raw, facts } = this.#received;
    if (facts.memory === undefined) return;
    const request = { body: raw.body, memory: facts.memory, previousResponseId: undefined };
    const packed = await packResponse(request, Buffer.from(this.write(status, message)));
    const accountId = this.#call.caller.account.id;
    const { conversations } = this.#work.gateway.deps;
    if (packed?.value !== undefined) conversations.keep(accountId, keyOfResponse(this.#id), packed.value);
  }

  #cancel(): void {
    this.#isCancelled = true;
    this.detached.cancel();
  }

  async #lookForCancel(): Promise<void> {
    const { conversations } = this.#work.gateway.deps;
    const asked = await conversations.find(this.#call.caller.account.id, keyOfCancel(this.#id));
    if (asked !== undefined) this.#cancel();
  }
}

const NO_RAW_KEYS: ReadonlySet<string> = new Set();

/** Of an error in the form of OpenAI, or of the gateway. */
function messageOf(body: string): string {
  const error = readJson(body, NO_RAW_KEYS)?.error;
  return isObject(error) && typeof error.message === 'string' ? error.message : FAILED;
}
