import type { Protocol } from '../../kernel/protocol-name.ts';
import { BACKSLASH, NINE, SPACE, ZERO } from '../bytes/ascii.ts';
import type { JsonScan } from '../bytes/scan.ts';
import type { ByteRange, RequestFacts } from '../dialect.ts';
import { estimateMedia, NO_MEDIA } from '../media/estimate.ts';
import { type Family, tokenFamily } from '../media/tokens.ts';
import { vendorTools } from './vendor-tools.ts';

/** What is known of a request whose input is estimated. */
export interface InputAbout {
  readonly protocol: Protocol;
  readonly model: string;
  /** Where the tools stand. */
  readonly tools?: ByteRange | undefined;
  /** The answer has to follow a schema, or may. */
  readonly hasFormat?: boolean;
  /** Tokens of what the request only names. */
  readonly extra?: number;
}

/** The frame of the conversation; each message has a role and braces, which are counted as bytes. */
const FRAME_TOKENS = { anthropic: 16, openai: 8, google: 6, any: 16 } as const;
/** Keys, braces and numbers are mostly not told to the model, or in fewer tokens. */
const STRUCTURE_BYTES_PER_TOKEN = 6;
/** An ordinary text has four bytes to a token, and a dense one fewer. */
const LIKELY_BYTES_PER_TOKEN = 4;
const UPPER_RATE = 1 / 3;
/** Claude makes more tokens of the same text than others, and the newer it is the more. */
const TEXT_FACTOR = { anthropic: 1.15, openai: 1, google: 1, any: 1.15 } as const;
/** Reasoning that a vendor has sealed is read again: it counts about as much as it is long. */
const SEALED_BYTES_PER_TOKEN = 4;
/** What a vendor says to its model when there are tools at all. */
const TOOLS_TOKENS = { anthropic: 700, openai: 250, google: 60, any: 700 } as const;
/** And when its answer has to follow a schema. */
const SCHEMA_TOKENS = { anthropic: 150, openai: 20, google: 40, any: 150 } as const;
/** Families with a long preamble of their own. */
const PREAMBLES: readonly (readonly [RegExp, number])[] = [
  [/grok/i, 250],
  [/qwen/i, 200],
  [/deepseek/i, 80],
  [/gpt-oss/i, 75],
  [/llama|cerebras/i, 45],
];

export type InputFacts = Required<
  Pick<RequestFacts, 'inputTokensEstimate' | 'inputTokensLikely' | 'mediaTokens'>
>;

/**
 * Two figures for the input, both without the tokenizer: an upper one that is held and counts in token
 * windows, and a likely one. At most one in a hundred recorded requests counted more than the upper one.
 */
export function inputFacts(body: Buffer, scan: JsonScan, about: InputAbout): InputFacts {
  const finder = scan.media;
  const media =
    finder === undefined || finder.found.length === 0 ? NO_MEDIA : estimateMedia(body, finder, about);
  const textBytes = scan.textBytes - media.bytes;
  const structure = (body.length - scan.textBytes - scan.sealedBytes) / STRUCTURE_BYTES_PER_TOKEN;
  const family = tokenFamily(about.protocol, about.model);
  const words = textBytes * textRate(body, media.bytes) * TEXT_FACTOR[family] + structure;
  const sealed = scan.sealedBytes / SEALED_BYTES_PER_TOKEN;
  const hosted = finder === undefined ? 0 : vendorTools(body, finder);
  const named = preambleOf(about, family) + hosted + (about.extra ?? 0);
  return {
    inputTokensEstimate: Math.ceil(words + sealed) + named + media.tokens,
    inputTokensLikely: Math.ceil(textBytes / LIKELY_BYTES_PER_TOKEN) + media.tokens,
    mediaTokens: media.tokens,
  };
}

/** What a vendor adds by itself. */
function preambleOf({ model, tools, hasFormat }: InputAbout, family: Family): number {
  const named = family === 'any' ? (PREAMBLES.find(([name]) => name.test(model))?.[1] ?? 0) : 0;
  const own = named + FRAME_TOKENS[family] + (hasFormat === true ? SCHEMA_TOKENS[family] : 0);
  if (tools === undefined || tools.end - tools.start <= 2) return own;
  return own + TOOLS_TOKENS[family];
}

/** Shorter bodies are not worth a look. */
const SAMPLED_BYTES_MIN = 4_096;
const SAMPLE_STEP_BYTES = 2_048;
const SAMPLE_BYTES = 32;
const LETTER_U = 0x75;
const ESCAPE_BYTES = 6;
/** Samples of one body. */
const SAMPLES_MAX = 128;
/** What a text without any plain letter comes to, and one with nothing else. */
const DENSE_RATE = 1;
const PLAIN_RATE = 0.25;

/**
 * Tokens to a byte of text. Digits, capitals and signs make short tokens: their share is taken from samples
 * all over the body. Where most of it is files, the samples would tell of those.
 */
function textRate(body: Buffer, mediaBytes: number): number {
  if (body.length < SAMPLED_BYTES_MIN || mediaBytes > body.length / 2) return UPPER_RATE;
  const step = Math.max(SAMPLE_STEP_BYTES, Math.floor(body.length / SAMPLES_MAX));
  let odd = 0;
  let looked = 0;
  for (let start = step >> 1; start + SAMPLE_BYTES <= body.length; start += step) {
    looked += SAMPLE_BYTES;
    for (let at = start; at < start + SAMPLE_BYTES; at++) {
      // A letter that is written with six bytes is one letter: they count as plain ones, which is enough.
      if (body[at] === BACKSLASH && body[at + 1] === LETTER_U) at += ESCAPE_BYTES - 1;
      else odd += ODD[body[at] as number] as number;
    }
  }
  return Math.max(UPPER_RATE, PLAIN_RATE + (DENSE_RATE - PLAIN_RATE) * (odd / looked));
}

/** 1 for what is neither a small letter, nor a space, nor of another script. */
const ODD = new Uint8Array(256);
for (let byte = SPACE + 1; byte < 0x80; byte++) ODD[byte] = byte >= 0x61 && byte <= 0x7a ? 0 : 1;
for (let byte = ZERO; byte <= NINE; byte++) ODD[byte] = 1;
