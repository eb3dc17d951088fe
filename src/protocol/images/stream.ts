import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { QUOTE } from '../bytes/ascii.ts';
import { isTypeAt, leadingTypeStart } from '../bytes/event-type.ts';
import { compilePaths } from '../bytes/paths.ts';
import { isOpenBrace, Skimmer } from '../bytes/skim.ts';
import type { EventControl, EventReader } from '../pass-through/relay.ts';
import { IMAGES_USAGE_PATHS, IMAGES_USAGE_RULE, readImagesFigures } from './usage.ts';

const TREE = compilePaths({ type: 'type', model: 'model', error: 'error', ...IMAGES_USAGE_PATHS });
const { slots } = TREE;
const skimmer = new Skimmer(TREE);
const { starts, ends } = skimmer;

const GENERATION_PARTIAL = Buffer.from('image_generation.partial_image');
const EDIT_PARTIAL = Buffer.from('image_edit.partial_image');
const GENERATION_COMPLETED = Buffer.from('image_generation.completed');
const EDIT_COMPLETED = Buffer.from('image_edit.completed');
const ERROR = Buffer.from('error');

export class ImagesEventReader implements EventReader {
  readonly rule = IMAGES_USAGE_RULE;
  readonly nextSequenceNumber = undefined;
  /** Only the terminator shows the end. */
  readonly ended = false;
  /** Only the usage shows reasoning. */
  readonly reasoned = false;

  read(payload: LentBytes, start: number, end: number, outlet: EventControl): void {
    const leading = leadingTypeStart(payload, start);
    if (
      leading >= 0 &&
      (isTypeAt(payload, leading, GENERATION_PARTIAL) || isTypeAt(payload, leading, EDIT_PARTIAL))
    ) {
      return;
    }
    if (skimmer.run(payload, start, end) < 0) return;
    const type = (starts[slots.type] as number) + 1;
    if (isTypeAt(payload, type, GENERATION_COMPLETED) || isTypeAt(payload, type, EDIT_COMPLETED)) {
      outlet.imageDone();
      outlet.reportCovering(readImagesFigures(payload, skimmer, slots));
      outlet.terminate();
    } else if (isTypeAt(payload, type, ERROR) || isOpenBrace(payload, starts[slots.error] as number)) {
      outlet.fail();
    }
    const model = starts[slots.model] as number;
    if (model >= 0 && payload[model] === QUOTE) outlet.replaceModel(model, ends[slots.model] as number);
  }
}
