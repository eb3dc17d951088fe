import { nextTurn } from '../../kernel/async/next-turn.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { listElements } from '../bytes/elements.ts';
import { quoteModel, splice } from '../bytes/splice.ts';
import type { ByteRange, RawRequest, RequestFacts } from '../dialect.ts';
import { compileMembers } from '../pass-through/metered-keys.ts';
import { scanRequest } from '../pass-through/request.ts';
import { ITEM_BYTES_MAX, ITEMS_TURN_BYTES, MESSAGE_BATCH_ITEMS_MAX } from './bounds.ts';
import { readMessageItem } from './item.ts';
import { BatchSum, batchFacts } from './sum.ts';

const TREE = compileMembers({ requests: ['requests', 'list'] });

export const MESSAGE_BATCH_MEMBERS = TREE.members;

/** A batch of Messages: the requests of all of its items, in one body. */
export async function readMessageBatch({ body }: RawRequest): Promise<RequestFacts | Refusal> {
  const range = await scanRequest(body, TREE, ({ found }) => found[TREE.slots.requests]?.at(-1) ?? NO_RANGE);
  if (isRefusal(range)) return range;
  const elements = listElements(body, range);
  if (elements.length === 0)
    return refuse('notExpressible', { message: 'A batch has "requests": at least one' });
  const sum = new BatchSum(MESSAGE_BATCH_ITEMS_MAX);
  const modelRanges: ByteRange[] = [];
  let turnBytes = 0;
  for (const [at, { start, end }] of elements.entries()) {
    const item = end - start > ITEM_BYTES_MAX ? TOO_LONG : await readMessageItem(body.subarray(start, end));
    const refusal = isRefusal(item) ? item : (refuseOpen(item.facts) ?? sum.add(item));
    if (refusal !== undefined) return { ...refusal, message: `requests[${at}]: ${refusal.message}` };
    if (isRefusal(item)) continue;
    for (const one of item.modelRanges) modelRanges.push({ start: start + one.start, end: start + one.end });
    turnBytes += end - start;
    if (turnBytes < ITEMS_TURN_BYTES) continue;
    turnBytes = 0;
    await nextTurn();
  }
  return { ...batchFacts(sum, 'message-batch'), modelRanges };
}

const NO_RANGE: ByteRange = { start: 0, end: 0 };

const TOO_LONG = refuse('bodyTooLarge', {
  message: `a request in a batch has at most ${ITEM_BYTES_MAX} bytes`,
});

/** The protocol requires a limit, so what a batch may cost is always known. */
function refuseOpen({ outputTokensMax }: RequestFacts): Refusal | undefined {
  if (outputTokensMax !== undefined) return undefined;
  return refuse('notExpressible', { message: 'each request in a batch has "max_tokens"' });
}

/** The same bytes with the vendor's name of the model in every item, as one piece: there may be many. */
export function spliceMessageBatch(
  { body }: RawRequest,
  { model, modelRanges }: RequestFacts,
  forwardModel: string,
): readonly Buffer[] {
  if (model === forwardModel) return [body];
  const bytes = quoteModel(forwardModel);
  return [
    Buffer.concat(
      splice(
        body,
        modelRanges.map((at) => ({ at, bytes })),
      ),
    ),
  ];
}
