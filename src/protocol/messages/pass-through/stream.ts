import type { LentBytes } from '../../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../../bytes/ascii.ts';
import { isTypeAt, leadingTypeStart } from '../../bytes/event-type.ts';
import { compilePaths } from '../../bytes/paths.ts';
import { isOpenBrace, Skimmer } from '../../bytes/skim.ts';
import type { EventControl, EventReader } from '../../pass-through/relay.ts';
import { MESSAGES_USAGE_RULE, messagesUsagePaths, readMessagesFigures } from './usage.ts';

const START_TREE = compilePaths({
  model: 'message.model',
  id: 'message.id',
  ...messagesUsagePaths('message.'),
});
const DELTA_TREE = compilePaths({
  type: 'type',
  error: 'error',
  blockType: 'content_block.type',
  ...messagesUsagePaths(''),
});
const startSkimmer = new Skimmer(START_TREE);
const deltaSkimmer = new Skimmer(DELTA_TREE);

const CONTENT_BLOCK_DELTA = Buffer.from('content_block_delta');
const CONTENT_BLOCK_START = Buffer.from('content_block_start');
const CONTENT_BLOCK_STOP = Buffer.from('content_block_stop');
/** The blocks that an answer may end with. Something always follows thinking and a server tool. */
const LAST_BLOCKS = ['text', 'tool_use'].map((type) => Buffer.from(type));
const THINKING_BLOCKS = ['thinking', 'redacted_thinking'].map((type) => Buffer.from(type));
const MESSAGE_START = Buffer.from('message_start');
const MESSAGE_DELTA = Buffer.from('message_delta');
const MESSAGE_STOP = Buffer.from('message_stop');
const ERROR = Buffer.from('error');
const ID_CHARS_MAX = 256;

export class MessagesEventReader implements EventReader {
  readonly rule = MESSAGES_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  /** The last block is closed and an answer may end with it, or the message announced its end. */
  ended = false;
  reasoned = false;
  #mayBeLast = false;
  /** The id of the message, once it has begun. */
  #id: string | undefined;

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    const leading = leadingTypeStart(payload, start);
    if (leading >= 0 && isTypeAt(payload, leading, CONTENT_BLOCK_DELTA)) {
      outlet.generated(start, end);
      this.ended = false;
      return;
    }
    if (deltaSkimmer.run(payload, start, end) < 0) return;
    const { slots } = DELTA_TREE;
    const type = (deltaSkimmer.starts[slots.type] as number) + 1;
    if (isTypeAt(payload, type, MESSAGE_START)) {
      this.#readStart(payload, start, end, outlet);
    } else if (isTypeAt(payload, type, MESSAGE_DELTA)) {
      const figures = readMessagesFigures(payload, deltaSkimmer, slots);
      if (figures.output === undefined) outlet.report(figures);
      else outlet.reportCovering(figures);
      this.ended = true;
    } else if (isTypeAt(payload, type, CONTENT_BLOCK_DELTA)) {
      outlet.generated(start, end);
      this.ended = false;
    } else if (isTypeAt(payload, type, CONTENT_BLOCK_START)) {
      const block = (deltaSkimmer.starts[slots.blockType] as number) + 1;
      this.#mayBeLast = LAST_BLOCKS.some((last) => isTypeAt(payload, block, last));
      if (THINKING_BLOCKS.some((thinking) => isTypeAt(payload, block, thinking))) this.reasoned = true;
      this.ended = false;
    } else if (isTypeAt(payload, type, CONTENT_BLOCK_STOP)) {
      this.ended = this.#mayBeLast;
    } else if (isTypeAt(payload, type, MESSAGE_STOP)) {
      outlet.conclude();
    } else if (
      isTypeAt(payload, type, ERROR) ||
      isOpenBrace(payload, deltaSkimmer.starts[slots.error] as number)
    ) {
      outlet.fail();
    }
  }

  /**
   * Nothing is generated yet. The start's output figure is a placeholder (1 or so). Relays that join streams
   * send the start twice; with another id it is the start of another message.
   */
  #readStart(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    startSkimmer.run(payload, start, end);
    const { slots } = START_TREE;
    const id = readId(payload);
    if (id !== undefined && this.#id !== undefined && id !== this.#id) {
      outlet.breakOff();
      return;
    }
    this.#id ??= id;
    outlet.reportStart(readMessagesFigures(payload, startSkimmer, slots));
    const model = startSkimmer.starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) {
      outlet.replaceModel(model, startSkimmer.ends[slots.model] as number);
    }
  }
}

/** Of the last skimmed start. Ids have some thirty characters. */
function readId(payload: LentBytes): string | undefined {
  const id = startSkimmer.starts[START_TREE.slots.id] as number;
  if (id < 0 || payload[id] !== QUOTE) return undefined;
  return payload.toString(
    'latin1',
    id,
    Math.min(startSkimmer.ends[START_TREE.slots.id] as number, id + ID_CHARS_MAX),
  );
}
