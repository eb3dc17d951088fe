import type { Protocol } from '../../kernel/protocol-name.ts';
import { BACKSLASH, NINE, SPACE, ZERO } from '../bytes/ascii.ts';
import type { JsonScan } from '../bytes/scan.ts';
import type { ByteRange, RequestFacts } from '../dialect.ts';
import { estimateMedia, NO_MEDIA } from '../media/estimate.ts';
import { type Family, tokenFamily } from '../media/tokens.ts';
import { vendorTools } from './vendor-tools.ts';

/** What is known about a request whose input is estimated. */
export interface InputAbout {
  readonly protocol: Protocol;
  readonly model: string;
  /** Where the tools are. */
  readonly tools?: ByteRange | undefined;
  /** The answer must, or may, follow a schema. */
  readonly hasFormat?: boolean;
  /** Tokens of what the request only refers to. */
  readonly extra?: number;
}

/** The overhead of the conversation. Each message's role and braces are counted as bytes. */
const FRAME_TOKENS = { anthropic: 16, openai: 8, google: 6, any: 16 } as const;
/** Most keys, braces and numbers do not reach the model, or as fewer tokens. */
const STRUCTURE_BYTES_PER_TOKEN = 6;
/** Ordinary text has four bytes per token; dense text has fewer. */
const LIKELY_BYTES_PER_TOKEN = 4;
const UPPER_RATE = 1 / 3;
/** Claude makes more tokens of the same text than others, and newer models make more. */
const TEXT_FACTOR = { anthropic: 1.15, openai: 1, google: 1, any: 1.15 } as const;
/** The vendor decrypts encrypted reasoning and reads it again. It counts by about its length. */
const ENCRYPTED_BYTES_PER_TOKEN = 4;
/** The vendor's own instructions if there are tools at all. */
const TOOLS_TOKENS = { anthropic: 700, openai: 250, google: 60, any: 700 } as const;
/** The vendor's own instructions if the answer must follow a schema. */
const SCHEMA_TOKENS = { anthropic: 150, openai: 20, google: 40, any: 150 } as const;
/** Model families with a long preamble of their own. */
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
 * Two estimates of the input, both without the tokenizer: an upper one for holds and token windows, and a
 * likely one. At most one in a hundred recorded requests counted more than the upper one.
 */
export function inputFacts(body: Buffer, scan: JsonScan, about: InputAbout): InputFacts {
  const finder = scan.media;
  const media =
    finder === undefined || finder.found.length === 0 ? NO_MEDIA : estimateMedia(body, finder, about);
  const textBytes = scan.textBytes - media.bytes;
  const structure = (body.length - scan.textBytes - scan.encryptedBytes) / STRUCTURE_BYTES_PER_TOKEN;
  const family = tokenFamily(about.protocol, about.model);
  const words = textBytes * textRate(body, media.bytes) * TEXT_FACTOR[family] + structure;
  const encrypted = scan.encryptedBytes / ENCRYPTED_BYTES_PER_TOKEN;
  const hosted = finder === undefined ? 0 : vendorTools(body, finder);
  const named = countPreamble(about, family) + hosted + (about.extra ?? 0);
  return {
    inputTokensEstimate: Math.ceil(words + encrypted) + named + media.tokens,
    inputTokensLikely: Math.ceil(textBytes / LIKELY_BYTES_PER_TOKEN) + media.tokens,
    mediaTokens: media.tokens,
  };
}

/** What a vendor adds by itself. */
function countPreamble({ model, tools, hasFormat }: InputAbout, family: Family): number {
  const named = family === 'any' ? (PREAMBLES.find(([name]) => name.test(model))?.[1] ?? 0) : 0;
  const own = named + FRAME_TOKENS[family] + (hasFormat === true ? SCHEMA_TOKENS[family] : 0);
  if (tools === undefined || tools.end - tools.start <= 2) return own;
  return own + TOOLS_TOKENS[family];
}

/** Shorter bodies are not sampled. */
const SAMPLED_BYTES_MIN = 4_096;
const SAMPLE_STEP_BYTES = 2_048;
const SAMPLE_BYTES = 32;
const LETTER_U = 0x75;
const ESCAPE_BYTES = 6;
/** Samples of one body. */
const SAMPLES_MAX = 128;
/** The rate of a text without any plain letter, and of one with nothing else. */
const DENSE_RATE = 1;
const PLAIN_RATE = 0.25;

/**
 * Tokens per byte of text. Digits, capitals and punctuation make short tokens. Their share is taken from
 * samples all over the body. If most of the body is files, samples would show those instead.
 */
function textRate(body: Buffer, mediaBytes: number): number {
  if (body.length < SAMPLED_BYTES_MIN || mediaBytes > body.length / 2) return UPPER_RATE;
  const step = Math.max(SAMPLE_STEP_BYTES, Math.floor(body.length / SAMPLES_MAX));
  let odd = 0;
  let looked = 0;
  for (let start = step >> 1; start + SAMPLE_BYTES <= body.length; start += step) {
    looked += SAMPLE_BYTES;
    for (let at = start; at < start + SAMPLE_BYTES; at++) {
      // An escaped letter of six bytes is one letter. Its bytes count as plain ones, which is close enough.
      if (body[at] === BACKSLASH && body[at + 1] === LETTER_U) at += ESCAPE_BYTES - 1;
      else odd += ODD[body[at] as number] as number;
    }
  }
  return Math.max(UPPER_RATE, PLAIN_RATE + (DENSE_RATE - PLAIN_RATE) * (odd / looked));
}

/** 1 for bytes that are not a small letter, a space, or part of another script. */
const ODD = new Uint8Array(256);
for (let byte = SPACE + 1; byte < 0x80; byte++) ODD[byte] = byte >= 0x61 && byte <= 0x7a ? 0 : 1;
for (let byte = ZERO; byte <= NINE; byte++) ODD[byte] = 1;
