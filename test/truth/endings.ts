import type { Form } from './dialects.ts';

/**
 * What the rules make of an ending (rule M-1, rule M-8, rule M-9), and how near to the truth
 * the charge must come.
 * - `reported`: the vendor's own figures, each class to the token, not marked as estimated.
 * - `counted`: the whole answer came without usable figures: its text to the token, its input but for the
 *   frame, marked as estimated.
 * - `received`: a part of the answer came: delivered ≤ charged ≤ produced. Of the input, and of the marking,
 *   what the vendor had told by then (`toldEarly`).
 * - `likely`: a part of the answer came, and the model reasoned where nobody could see it: what came, and
 * what   it may have thought by then, within the longest answer that was asked for.
 * - `input`: the vendor was at work and nothing is known of what it made: the counted input and no output.
 * - `nothing`: no usage, no amount, no movement.
 */
export type Rule = 'reported' | 'counted' | 'received' | 'likely' | 'input' | 'nothing';

/** When the client goes away. */
export type Leave =
  | 'never'
  | 'vendor-at-work'
  /** Its head has come, and nothing behind it. */
  | 'head-sent'
  | 'answer-half-sent'
  | 'at-token'
  | 'last-token'
  /** A while behind the last token: what follows it at once has come. */
  | 'behind-last-token'
  | 'first-byte';

export interface Course {
  /** Words for the simulator, one set per run in turn; {tokens} is the answer's length, {at} a place. */
  readonly directives: readonly string[];
  readonly leave: Leave;
  readonly rule: Rule;
  readonly verdict: 'complete' | 'failed' | 'cut-by-upstream' | 'cut-by-client';
  /** What the client saw, and the log says; 499: it had left before there was any. */
  readonly status: readonly number[];
  /** Why the rule is this one. */
  readonly why: string;
}

export interface Ending extends Readonly<Record<Form, Course>> {
  readonly name: string;
}

const whole = { leave: 'never', verdict: 'complete', status: [200] } as const;
const both = (course: Course): Readonly<Record<Form, Course>> => ({ plain: course, stream: course });

/** Longer than any test waits, shorter than the gateway's patience would be without the client. */
const HELD_MS = 20_000;

const LEFT = { verdict: 'cut-by-client', rule: 'received', status: [200] } as const;
const CUT = { leave: 'never', verdict: 'cut-by-upstream', rule: 'received', status: [200] } as const;
const NO_ANSWER = { leave: 'never', verdict: 'failed', rule: 'nothing' } as const;
const ALL_SAID = 'what came is counted, or what the vendor has told of it';
const NOT_SHOWN =
  'a plain answer that is not whole is no answer: the client gets an error, another route may answer';

export const ENDINGS: readonly Ending[] = [
  {
    name: 'ok',
    ...both({
      ...whole,
      directives: ['', 'cached={at}', 'thinking=17', 'cached={at} cachewrite=9 thinking=8', 'tool=look'],
      rule: 'reported',
      why: 'reported usage is charged to the token',
    }),
  },
  {
    name: 'no usage',
    ...both({
      ...whole,
      directives: ['usage=none', 'usage=null', 'usage=none tool=look'],
      rule: 'counted',
      why: 'nothing was reported: what was received is counted',
    }),
  },
  {
    name: 'usage only at the end',
    ...both({
      ...whole,
      directives: ['usage=late', 'usage=late cached={at} thinking=11'],
      rule: 'reported',
      why: 'a report is a report, however late (plain: the last member of the answer)',
    }),
  },
  {
    name: 'usage repeated',
    ...both({
      ...whole,
      directives: ['usage=repeated', 'usage=repeated cached={at} thinking=11'],
      rule: 'reported',
      why: 'each report is of all so far: the last counts, none are added (plain: the member stands twice)',
    }),
  },
  {
    name: 'usage of a wrong type',
    ...both({
      ...whole,
      directives: ['usage=wrong-type', 'usage=negative', 'usage=huge'],
      rule: 'counted',
      why: 'absurd figures are no report',
    }),
  },
  {
    name: 'client leaves before the first byte',
    plain: {
      directives: ['fault=no-headers', 'fault=headers-then-silence'],
      leave: 'vendor-at-work',
      rule: 'input',
      verdict: 'cut-by-client',
      status: [499],
      why: 'a plain answer shows nothing until it is made: the vendor was at work and read the input',
    },
    stream: {
      directives: ['fault=no-headers'],
      leave: 'vendor-at-work',
      rule: 'nothing',
      verdict: 'cut-by-client',
      status: [499],
      why: 'a stream shows its head when the vendor begins: nothing was produced',
    },
  },
  {
    name: 'client leaves between head and first event',
    ...both({
      directives: ['fault=headers-then-silence'],
      leave: 'head-sent',
      rule: 'input',
      verdict: 'cut-by-client',
      status: [499],
      why: 'from its head on the vendor is at work and has read the input',
    }),
  },
  {
    name: 'client leaves in the middle',
    plain: {
      directives: [`fault=pause@0:${HELD_MS}`],
      leave: 'answer-half-sent',
      rule: 'input',
      verdict: 'cut-by-client',
      status: [499],
      why: 'half an answer holds no usage and no whole text: of the output nothing is known',
    },
    stream: {
      ...LEFT,
      // A vendor that reasons out of sight is read on: here it reports nothing meanwhile.
      directives: [`fault=pause@{at}t:${HELD_MS}`, `pace=3 fault=pause@{tokens}t:${HELD_MS}`],
      leave: 'at-token',
      why: ALL_SAID,
    },
  },
  {
    name: 'client leaves after the last token',
    plain: {
      directives: ['', 'cached={at}'],
      leave: 'first-byte',
      rule: 'reported',
      verdict: 'complete',
      status: [200],
      why: 'the answer was whole and settled before its first byte was written to the client',
    },
    stream: {
      ...LEFT,
      directives: [`fault=pause@{tokens}t:${HELD_MS}`],
      leave: 'last-token',
      why: ALL_SAID,
    },
  },
  {
    name: 'client leaves while the model reasons, or on the last visible token',
    plain: {
      directives: [`thinking=40 fault=pause@0:${HELD_MS}`],
      leave: 'answer-half-sent',
      rule: 'input',
      verdict: 'cut-by-client',
      status: [499],
      why: 'half an answer holds no usage and no whole text: of the output nothing is known',
    },
    stream: {
      ...LEFT,
      directives: [`thinking=200 thinkms=400 fault=pause@{end}t:${HELD_MS}`],
      leave: 'last-token',
      rule: 'likely',
      why: 'what the model thinks is output, seen or not',
    },
  },
  {
    name: 'client leaves between the last token and the usage',
    plain: {
      directives: ['thinking=40 fault=pause@0:1400'],
      leave: 'answer-half-sent',
      rule: 'reported',
      verdict: 'cut-by-client',
      status: [499],
      why: 'the answer is made when its head comes: it is read on to its usage',
    },
    stream: {
      ...LEFT,
      directives: ['thinking=200 fault=late-usage:1500', 'cached={at} thinking=11 fault=late-usage:1500'],
      leave: 'behind-last-token',
      rule: 'reported',
      why: 'the end was seen: the vendor is read on to its usage',
    },
  },
  {
    name: 'client leaves after the usage',
    plain: {
      directives: ['thinking=40'],
      leave: 'first-byte',
      rule: 'reported',
      verdict: 'complete',
      status: [200],
      why: 'the answer was whole and settled before its first byte was written to the client',
    },
    stream: {
      ...LEFT,
      directives: [`thinking=200 fault=late-end:${HELD_MS}`],
      leave: 'behind-last-token',
      rule: 'reported',
      why: 'the usage has come',
    },
  },
  {
    name: 'upstream cut in the middle',
    plain: {
      ...NO_ANSWER,
      directives: ['fault=fin', 'fault=reset', 'fault=end'],
      status: [502],
      why: NOT_SHOWN,
    },
    stream: {
      ...CUT,
      directives: ['fault=fin@{at}t', 'fault=reset@{at}t', 'fault=end@{at}t', 'cut={at} cached=5'],
      why: ALL_SAID,
    },
  },
  {
    name: 'upstream 500 before tokens',
    plain: {
      ...NO_ANSWER,
      directives: ['fault=status@500', 'fault=status@503'],
      status: [500, 503],
      why: 'nothing was produced',
    },
    stream: {
      ...NO_ANSWER,
      directives: ['fault=status@500', 'fault=error-event@0'],
      status: [500, 503, 529],
      why: 'nothing was produced',
    },
  },
  {
    name: 'upstream 500 after tokens',
    plain: {
      ...NO_ANSWER,
      directives: ['fault=error-event'],
      status: [500],
      why: 'what the vendor made before its 500 it neither sent nor reported',
    },
    stream: { ...CUT, directives: ['fault=error-event@{at}t'], why: ALL_SAID },
  },
  {
    name: 'stall',
    plain: { ...NO_ANSWER, directives: ['fault=stall'], status: [504], why: NOT_SHOWN },
    stream: { ...CUT, directives: ['fault=stall@{at}t', 'fault=stall@{at}t cached=5'], why: ALL_SAID },
  },
];

/**
 * How far a count may be from the truth. All vendors of the simulator count with the tokenizer that we count
 * with, so a text is the same number on both sides; no vendor tells what its frame around a prompt costs. We
 * take 3 tokens for a message and 3 for the answer; the simulator takes from 1 to 3 for a message and up to 4
 * for the prompt. `output` is 0: each word of the simulator is one token, alone and in a text. A tool is
 * offered, and called, in other JSON by each dialect: what its frame costs is guessed as well, and the name
 * and the arguments of a call, which are counted together, may share a token.
 */
export const TOLERANCE = {
  inputPerMessage: 3,
  inputPerPrompt: 4,
  inputPerTool: 12,
  output: 0,
  outputPerCall: 2,
} as const;
