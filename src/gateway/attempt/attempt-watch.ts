import type { Ticket } from '../../upstream/health/health.ts';
import type { StreamTimes } from '../answer/stream-watch.ts';
import type { Translation } from '../convert/translation.ts';

/** What an attempt needs beside its call and its route. */
export interface AttemptWatch {
  readonly times: StreamTimes;
  readonly ticket: Ticket;
  readonly translation: Translation;
}
