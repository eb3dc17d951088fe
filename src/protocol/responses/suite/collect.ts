import type { Finish, HubUsage, Logprob } from '../../hub/answer.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import type { Citation, Part } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';

/** What the events of a stream amount to, and whether they kept the promises of event.ts. */
export interface Collected {
  readonly parts: readonly Part[];
  readonly logprobs: readonly Logprob[];
  readonly usage: HubUsage | undefined;
  readonly finish: Finish | undefined;
  readonly isEnded: boolean;
}

interface Open {
  readonly head: PartHead;
  text: string;
  signature: Signature | undefined;
  readonly citations: Citation[];
}

export function collect(events: readonly HubEvent[]): Collected {
  const parts: Part[] = [];
  const logprobs: Logprob[] = [];
  let open: Open | undefined;
  let usage: HubUsage | undefined;
  let finish: Finish | undefined;
  let isEnded = false;
  const close = (): void => {
    if (open !== undefined) parts.push(toPart(open));
    open = undefined;
  };
  for (const [index, event] of events.entries()) {
    if ((event.kind === 'start') !== (index === 0)) throw new Error('start is not first and once');
    if (isEnded) throw new Error('something follows the end');
    if (event.kind === 'part') {
      close();
      open = { head: event.head, text: '', signature: undefined, citations: [] };
    } else if (event.kind === 'delta') {
      if (open === undefined) throw new Error('a delta without a part');
      open.text += event.text;
      logprobs.push(...(event.logprobs ?? []));
    } else if (event.kind === 'signature' && open !== undefined) open.signature = event.signature;
    else if (event.kind === 'citation' && open !== undefined) open.citations.push(event.citation);
    else if (event.kind === 'part-end') close();
    else if (event.kind === 'usage') usage = event.usage;
    else if (event.kind === 'finish') {
      close();
      finish = event.finish;
    } else if (event.kind === 'end') isEnded = true;
  }
  return { parts, logprobs, usage, finish, isEnded };
}

function toPart({ head, text, signature, citations }: Open): Part {
  switch (head.kind) {
    case 'text':
      return { kind: 'text', text, ...(citations.length > 0 ? { citations } : {}) };
    case 'reasoning':
      return { kind: 'reasoning', text, ...(signature === undefined ? {} : { signature }) };
    case 'tool-call':
      return { ...head, arguments: text === '' && !head.custom ? '{}' : text };
    case 'image':
      return { kind: 'image', source: { kind: 'bytes', mime: head.mime, base64: head.base64 } };
    case 'refusal':
      return { kind: 'refusal', text };
    case 'server-tool':
      return head;
  }
}
