import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { CR } from '../bytes/ascii.ts';
import type { JsonScan } from '../bytes/scan.ts';
import { textAt } from '../bytes/text.ts';
import type { ByteRange, RequestFacts } from '../dialect.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { scanRequest } from '../pass-through/request.ts';
import { getDialect } from '../registry.ts';

/** The protocols of requests in a batch of OpenAI's form, by the path that each request names. */
const PATHS: ReadonlyMap<string, Protocol> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/embeddings', 'embeddings'],
  ['/v1/completions', 'completions'],
  ['/v1/moderations', 'moderations'],
]);

export const BATCH_PATHS: readonly string[] = [...PATHS.keys()];

/** The protocol of the requests to this path; `undefined` if it takes no batches here. */
export function batchProtocol(path: string): Protocol | undefined {
  return PATHS.get(path);
}

/** One request of a batch. */
export interface BatchItem {
  readonly protocol: Protocol;
  readonly facts: RequestFacts;
  /** Where its model is named, within the bytes of the item. */
  readonly modelRanges: readonly ByteRange[];
}

const MESSAGE_ITEM = compileMembers({ id: ['custom_id', 'any'], body: ['params', 'object'] });
const LINE = compileMembers({
  id: ['custom_id', 'any'],
  method: ['method', 'text'],
  url: ['url', 'text'],
  body: ['body', 'object'],
});

/** A member of `requests` of a batch of Messages. */
export function readMessageItem(bytes: Buffer): Promise<BatchItem | Refusal> {
  return readItem(bytes, MESSAGE_ITEM, (scan) => ({
    protocol: 'messages',
    body: scan.found[MESSAGE_ITEM.slots.body]?.at(-1),
  }));
}

/** A line of a file of OpenAI's form. */
export async function readLine(bytes: Buffer): Promise<BatchItem | Refusal> {
  // Some vendors end a line here too, and would read other requests than we do.
  if (bytes.subarray(0, -1).includes(CR)) return refuse('bodyNotJson', { message: TWO_LINES });
  return readItem(bytes, LINE, ({ found }) => {
    const url = textAt(bytes, found[LINE.slots.url]?.at(-1));
    const protocol = PATHS.get(url ?? '');
    if (textAt(bytes, found[LINE.slots.method]?.at(-1)) !== 'POST') {
      return refuse('notExpressible', { message: 'The "method" of each request in a batch is "POST"' });
    }
    if (protocol === undefined) {
      const paths = BATCH_PATHS.map((path) => `"${path}"`).join(', ');
      return refuse('notExpressible', { message: `The "url" of each request in a batch is one of ${paths}` });
    }
    return { protocol, body: found[LINE.slots.body]?.at(-1) };
  });
}

const TWO_LINES = 'A carriage return stands within the line, which some readers take for its end';

interface FoundItem {
  readonly protocol: Protocol;
  readonly body: ByteRange | undefined;
}

async function readItem(
  bytes: Buffer,
  tree: typeof LINE | typeof MESSAGE_ITEM,
  find: (scan: JsonScan) => FoundItem | Refusal,
): Promise<BatchItem | Refusal> {
  const found = await scanRequest(bytes, tree, find);
  if (isRefusal(found)) return found;
  const { protocol, body } = found;
  if (body === undefined) {
    const name = protocol === 'messages' ? 'params' : 'body';
    return refuse('notExpressible', { message: `Each request in a batch has "${name}"` });
  }
  const raw = { body: bytes.subarray(body.start, body.end), contentType: '', path: undefined };
  const facts = await getDialect(protocol).readRequest(raw);
  if (isRefusal(facts)) return facts;
  return refuseItem(facts) ?? { protocol, facts, modelRanges: shift(facts.modelRanges, body.start) };
}

/** What only a call of its own can do. */
function refuseItem({ stream, memory }: RequestFacts): Refusal | undefined {
  if (stream) return refuse('notExpressible', { message: 'A request in a batch is not streamed' });
  if (memory === undefined) return undefined;
  if (memory.refers || memory.background.length > 0) {
    return refuse('notExpressible', {
      message:
        'A request in a batch continues no stored response or conversation, nor runs in the background',
    });
  }
  return undefined;
}

function shift(ranges: readonly ByteRange[], by: number): readonly ByteRange[] {
  return ranges.map(({ start, end }) => ({ start: start + by, end: end + by }));
}
