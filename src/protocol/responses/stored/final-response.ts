import { ownCopy } from '../../../kernel/encoding/lent-bytes.ts';
import { isTypeAt } from '../../bytes/event-type.ts';
import { outlineLargeEnds } from '../../bytes/outline.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isOpenBrace, Skimmer, withOutline } from '../../bytes/skim.ts';
import { SseSplitter } from '../../bytes/sse.ts';

const TREE = compilePaths({ type: 'type', response: 'response' });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
const COMPLETED = Buffer.from('response.completed');
const INCOMPLETE = Buffer.from('response.incomplete');

/** The response that a stream ends with, if these events contain one. It repeats the whole output. */
export async function finalResponse(events: Buffer): Promise<Buffer | undefined> {
  return withOutline(events, await outlineLargeEnds(events), () => find(events));
}

function find(events: Buffer): Buffer | undefined {
  const splitter = new SseSplitter();
  splitter.feed(events);
  let found: Buffer | undefined;
  while (splitter.next()) {
    const { payload, payloadStart, payloadEnd } = splitter;
    if (payloadStart < 0 || skimmer.run(payload, payloadStart, payloadEnd) < 0) continue;
    const type = (skimmer.starts[slots.type] as number) + 1;
    if (!isTypeAt(payload, type, COMPLETED) && !isTypeAt(payload, type, INCOMPLETE)) continue;
    const response = skimmer.starts[slots.response] as number;
    if (!isOpenBrace(payload, response)) continue;
    const end = skimmer.ends[slots.response];
    // Data of several lines is joined in other memory.
    found = payload === events ? events.subarray(response, end) : ownCopy(payload.subarray(response, end));
  }
  return found;
}
