import { QUOTE } from '../ascii.ts';
import { isTypeAt, leadingTypeStart } from '../event-type.ts';
import { compilePaths } from '../paths.ts';
import type { EventReader, Outlet } from '../relay.ts';
import { isOpenBrace, Skimmer } from '../skim.ts';
import { MESSAGES_USAGE_RULE, messagesUsagePaths, readMessagesFigures } from './usage.ts';

const START_TREE = compilePaths({ model: 'message.model', ...messagesUsagePaths('message.') });
const DELTA_TREE = compilePaths({ type: 'type', error: 'error', ...messagesUsagePaths('') });
const startSkimmer = new Skimmer(START_TREE);
const deltaSkimmer = new Skimmer(DELTA_TREE);

const CONTENT_BLOCK_DELTA = Buffer.from('content_block_delta');
const MESSAGE_START = Buffer.from('message_start');
const MESSAGE_DELTA = Buffer.from('message_delta');
const MESSAGE_STOP = Buffer.from('message_stop');
const ERROR = Buffer.from('error');

export class MessagesEventReader implements EventReader {
  readonly rule = MESSAGES_USAGE_RULE;
  readonly nextSequenceNumber = undefined;

  read(payload: Buffer, start: number, end: number, outlet: Outlet): void {
    const leading = leadingTypeStart(payload, start);
    if (leading >= 0 && isTypeAt(payload, leading, CONTENT_BLOCK_DELTA)) {
      outlet.generated(start, end);
      return;
    }
    if (deltaSkimmer.run(payload, start, end) < 0) return;
    const { slots } = DELTA_TREE;
    const type = (deltaSkimmer.starts[slots.type] as number) + 1;
    if (isTypeAt(payload, type, MESSAGE_START)) {
      readStart(payload, start, end, outlet);
    } else if (isTypeAt(payload, type, MESSAGE_DELTA)) {
      const figures = readMessagesFigures(payload, deltaSkimmer, slots);
      if (figures.output === undefined) outlet.report(figures);
      else outlet.reportCovering(figures);
    } else if (isTypeAt(payload, type, CONTENT_BLOCK_DELTA)) {
      outlet.generated(start, end);
    } else if (isTypeAt(payload, type, MESSAGE_STOP)) {
      outlet.conclude();
    } else if (
      isTypeAt(payload, type, ERROR) ||
      isOpenBrace(payload, deltaSkimmer.starts[slots.error] as number)
    ) {
      outlet.fail();
    }
  }
}

/** Nothing is generated yet: the start's output figure is a placeholder (1 or so), and nobody owes it. */
function readStart(payload: Buffer, start: number, end: number, outlet: Outlet): void {
  startSkimmer.run(payload, start, end);
  const { slots } = START_TREE;
  const figures = readMessagesFigures(payload, startSkimmer, slots);
  outlet.report({ ...figures, output: undefined, reasoning: undefined });
  const model = startSkimmer.starts[slots.model] as number;
  if (model >= 0 && payload[model] === QUOTE) {
    outlet.replaceModel(model, startSkimmer.ends[slots.model] as number);
  }
}
