/** One event of a stream before it has bytes: faults work on these, framings turn them into text. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
  /** Output tokens (reasoning included) and reasoning tokens that this event delivers. */
  readonly output: number;
  readonly reasoning: number;
  readonly images?: number;
  /** Content is paced; a terminator is what a cut stream lacks. */
  readonly kind: 'content' | 'envelope' | 'terminator';
}

export interface Framing {
  readonly contentType: string;
  readonly lineEnd: string;
  /** The text of an event; the index tells a JSON array where to put its comma. */
  write(frame: Frame, index: number): string;
  /** What follows the last event. */
  readonly tail: string;
}

function eventText(frame: Frame, lineEnd: string): string {
  const name = frame.event === undefined ? '' : `event: ${frame.event}${lineEnd}`;
  return `${name}data: ${frame.data}${lineEnd}${lineEnd}`;
}

/** OpenAI and Anthropic. */
export const LINE_FEED_EVENTS: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  lineEnd: '\n',
  write: (frame) => eventText(frame, '\n'),
  tail: '',
};

/** Google with `alt=sse`: no event lines, and CRLF. */
export const CARRIAGE_RETURN_EVENTS: Framing = {
  contentType: 'text/event-stream',
  lineEnd: '\r\n',
  write: (frame) => eventText(frame, '\r\n'),
  tail: '',
};

/** Google without `alt=sse`: one JSON array that grows. */
export const JSON_ARRAY: Framing = {
  contentType: 'application/json; charset=UTF-8',
  lineEnd: '\n',
  write: (frame, index) => (index === 0 ? `[${frame.data}` : `\n,\r\n${frame.data}`),
  tail: '\n]\n',
};

/** A plain answer that a fault sends in pieces. */
export const WHOLE_BODY: Framing = { contentType: '', lineEnd: '', write: (frame) => frame.data, tail: '' };

export function content(frame: Omit<Frame, 'kind' | 'reasoning'> & { readonly reasoning?: number }): Frame {
  return { kind: 'content', reasoning: 0, ...frame };
}

export function envelope(data: string, event?: string): Frame {
  return { kind: 'envelope', data, output: 0, reasoning: 0, ...(event === undefined ? {} : { event }) };
}

export function terminator(data: string, event?: string): Frame {
  return { kind: 'terminator', data, output: 0, reasoning: 0, ...(event === undefined ? {} : { event }) };
}
