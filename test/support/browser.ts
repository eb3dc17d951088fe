import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real browser without a window, driven by its own protocol. */
export interface Browser {
  /** A page of its own, with nothing remembered from others. */
  open(look: Look): Promise<Page>;
  close(): Promise<void>;
}

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

export interface Page {
  /** Loads an address to its end. */
  go(url: string): Promise<void>;
  /** What an expression of the page's own is worth. */
  evaluate<Value>(expression: string): Promise<Value>;
  press(key: 'Tab' | 'Enter' | 'Space'): Promise<void>;
  /** Into what has the focus. */
  type(text: string): Promise<void>;
  /** PNG. */
  screenshot(): Promise<Buffer>;
  /** Addresses that were asked for. */
  readonly requests: readonly string[];
  /** Errors, broken promises, and what the content security policy has refused. */
  readonly complaints: readonly string[];
}

const START_MS = 120_000;
const ANSWER_MS = 120_000;
const FAREWELL_MS = 5_000;
const FLAGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--mute-audio'],
  '--remote-debugging-port=0',
];

export async function startBrowser(program: string): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-browser-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const wire = await Wire.connect(await addressOf(child));
  return {
    open: (look) => openPage(wire, look),
    close: async () => {
      // Asked politely it takes its helpers with it; killed, it leaves them for a moment.
      const late = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS);
      await wire.send('Browser.close').catch(() => {});
      await ended;
      clearTimeout(late);
      wire.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function addressOf({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`the browser does not answer: ${said}`)), START_MS);
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += said.length < 10_000 ? text : '';
      const [, address] = /listening on (ws:\S+)/.exec(said) ?? [];
      if (address === undefined) return;
      clearTimeout(late);
      resolve(address);
    });
  });
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** One connection to the browser: commands with answers, and notices of each page. */
class Wire {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners = new Map<string, (message: Message) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Message));
  }

  static connect(address: string): Promise<Wire> {
    const socket = new WebSocket(address);
    return new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve(new Wire(socket)), { once: true });
      socket.addEventListener('error', () => reject(new Error('the browser hung up')), { once: true });
    });
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    const answered = new Promise<Message>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_MS);
      this.#waiting.set(id, (message) => {
        clearTimeout(late);
        resolve(message);
      });
    });
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    const { error, result } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  listen(sessionId: string, listener: (message: Message) => void): void {
    this.#listeners.set(sessionId, listener);
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      this.#listeners.get(message.sessionId ?? '')?.(message);
      return;
    }
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}

const KEYS = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
} as const;

async function openPage(wire: Wire, { width, height, scheme }: Look): Promise<Page> {
  const { browserContextId } = await wire.send('Target.createBrowserContext');
  const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const attached = await wire.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.sessionId);
  const send = (method: string, params: object = {}) => wire.send(method, params, sessionId);
  const seen = new Seen();
  wire.listen(sessionId, (message) => seen.take(message));
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  const size = { width, height, deviceScaleFactor: 1, mobile: width < 600 };
  await send('Emulation.setDeviceMetricsOverride', size);
  const features = [{ name: 'prefers-color-scheme', value: scheme }];
  await send('Emulation.setEmulatedMedia', { features });
  return {
    requests: seen.requests,
    complaints: seen.complaints,
    go: async (url) => {
      const loaded = seen.untilLoaded();
      await send('Page.navigate', { url });
      await loaded;
    },
    evaluate: async <Value>(expression: string) => {
      const wanted = { expression, returnByValue: true, awaitPromise: true };
      const { result, exceptionDetails } = await send('Runtime.evaluate', wanted);
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value: Value }).value;
    },
    press: async (key) => {
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...KEYS[key] });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...KEYS[key] });
    },
    type: async (text) => void (await send('Input.insertText', { text })),
    screenshot: async () => {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(String(data), 'base64');
    },
  };
}

/** What a page has told of itself. */
class Seen {
  readonly requests: string[] = [];
  readonly complaints: string[] = [];
  #loaded: () => void = () => {};

  untilLoaded(): Promise<void> {
    return new Promise((resolve) => {
      this.#loaded = resolve;
    });
  }

  take({ method, params = {} }: Message): void {
    if (method === 'Page.loadEventFired') this.#loaded();
    if (method === 'Network.requestWillBeSent') {
      this.requests.push((params.request as { readonly url: string }).url);
    }
    const isSpoken =
      method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(params.type));
    const isWorse = method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded';
    if (isSpoken || isWorse) this.complaints.push(`${method}: ${JSON.stringify(params)}`);
  }
}
