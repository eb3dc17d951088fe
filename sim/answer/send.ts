import { FRAMES_PER_TURN_MAX } from '../bounds.ts';
import type { Exchange } from '../exchange.ts';
import type { Frame, Framing } from './frame.ts';

/** What happens next on the wire: an event, or a fault's own act between events. */
export type Step =
  | Frame
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'cut' }
  /** A clean end of the message before its terminator: what a proxy makes of a vendor that died. */
  | { readonly kind: 'end' };

/** Turns the text of an event into the writes that carry it. */
export type Encoder = (text: string) => Iterable<string | Buffer>;

export interface Delivery {
  readonly exchange: Exchange;
  readonly framing: Framing;
  readonly encoder: Encoder;
  readonly paceMs: number;
  /** How long the reasoning of the first event that brings any takes; it is generated meanwhile. */
  readonly thinkMs: number;
  /** Between two writes of one event: for trickling bytes. */
  readonly writePaceMs: number;
}

export const wholeText: Encoder = (text) => [text];

/** Writes the steps; the truth grows with every event that went to the socket, and only then. */
export async function sendSteps(delivery: Delivery, steps: Iterable<Step>): Promise<void> {
  const { exchange } = delivery;
  let index = 0;
  let { thinkMs } = delivery;
  for (const step of steps) {
    if (exchange.closed) return;
    if (step.kind === 'reset') return exchange.reset();
    if (step.kind === 'cut') return exchange.cut();
    if (step.kind === 'end') return exchange.end();
    if (step.kind === 'silence') await exchange.silence();
    else if (step.kind === 'wait') await exchange.pause(step.ms);
    else if (step.kind === 'raw') await sendText(delivery, step.text);
    else {
      if (step.kind === 'content' && delivery.paceMs > 0) await exchange.pause(delivery.paceMs);
      const thought = thinkMs > 0 ? await think(exchange, step.reasoning, thinkMs) : 0;
      if (thought > 0) thinkMs = 0;
      if (exchange.closed) return;
      await sendText(delivery, delivery.framing.write(step, index++));
      count(exchange, { ...step, output: step.output - thought, reasoning: step.reasoning - thought });
      if (index % FRAMES_PER_TURN_MAX === 0) await turn();
    }
  }
  if (exchange.closed) return;
  if (delivery.framing.tail !== '') await sendText(delivery, delivery.framing.tail);
  exchange.finish('complete');
  exchange.response.end();
}

const THINK_STEPS = 40;

/** Reasons in silence: the truth grows by and by, so that who leaves meanwhile has caused a part of it. */
async function think(exchange: Exchange, tokens: number, ms: number): Promise<number> {
  if (tokens === 0) return 0;
  const { call, response } = exchange;
  response.flushHeaders();
  let made = 0;
  for (let step = 1; step <= THINK_STEPS && !exchange.closed; step++) {
    await exchange.pause(ms / THINK_STEPS);
    const more = Math.floor((tokens * step) / THINK_STEPS) - made;
    made += more;
    call.outputTokens += more;
    call.reasoningTokens += more;
  }
  return made;
}

async function sendText(delivery: Delivery, text: string): Promise<void> {
  for (const chunk of delivery.encoder(text)) {
    if (delivery.writePaceMs > 0) await delivery.exchange.pause(delivery.writePaceMs);
    const full = delivery.exchange.write(chunk);
    if (full !== undefined) await full;
    if (delivery.exchange.closed) return;
  }
}

function count(exchange: Exchange, frame: Frame): void {
  const { call } = exchange;
  call.events++;
  call.outputTokens += frame.output;
  call.reasoningTokens += frame.reasoning;
  call.images += frame.images ?? 0;
}

/** Other sockets get their turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
