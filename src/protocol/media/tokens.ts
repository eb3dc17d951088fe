import { CAPABILITIES_CACHED_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { plainModelName } from '../capability/name.ts';
import { findFormat, KINDS, kindOfName, type MediaKind } from './header.ts';
import { type Pixels, pictureSize } from './picture-size.ts';
import type { SoundLength } from './sound/length.ts';

/** Whose tokenizer counts. `any`: the vendor is unknown, and the highest figure counts. */
export type Family = 'openai' | 'anthropic' | 'google' | 'any';

interface Rates {
  picture(size: Pixels): number;
  /** The most tokens of one image, whatever its size. */
  readonly pictureMost: number;
  readonly page: number;
  readonly soundSecond: number;
  readonly videoSecond: number;
}

/** The family of an unknown model name, by the protocol of its maker. */
const FAMILIES: Readonly<Record<Protocol, Family>> = {
  chat: 'any',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'google',
  images: 'openai',
  embeddings: 'any',
  moderations: 'openai',
  rerank: 'any',
  completions: 'any',
  speech: 'openai',
  transcriptions: 'openai',
  videos: 'any',
  'gemini-embeddings': 'google',
};

/** The family of the last model of each protocol, and of earlier ones: the next call is often the same. */
const lasts: Record<Protocol, { model: string; family: Family; readonly known: Map<string, Family> }> = {
  chat: { model: '', family: 'any', known: new Map() },
  responses: { model: '', family: 'openai', known: new Map() },
  messages: { model: '', family: 'anthropic', known: new Map() },
  gemini: { model: '', family: 'google', known: new Map() },
  images: { model: '', family: 'openai', known: new Map() },
  embeddings: { model: '', family: 'any', known: new Map() },
  moderations: { model: '', family: 'openai', known: new Map() },
  rerank: { model: '', family: 'any', known: new Map() },
  completions: { model: '', family: 'any', known: new Map() },
  speech: { model: '', family: 'openai', known: new Map() },
  transcriptions: { model: '', family: 'openai', known: new Map() },
  videos: { model: '', family: 'any', known: new Map() },
  'gemini-embeddings': { model: '', family: 'google', known: new Map() },
};

/** By the name of the model, or else by the protocol. */
export function tokenFamily(protocol: Protocol, model: string): Family {
  const last = lasts[protocol];
  if (last.model === model) return last.family;
  const { known } = last;
  const family = known.get(model) ?? lookUpFamily(protocol, model);
  // Names come from clients, so the cache is limited. Names of the catalogue are soon back.
  if (known.size >= CAPABILITIES_CACHED_MAX) known.clear();
  known.set(model, family);
  last.model = model;
  last.family = family;
  return family;
}

function lookUpFamily(protocol: Protocol, model: string): Family {
  const name = plainModelName(model);
  if (name.startsWith('claude')) return 'anthropic';
  if (name.startsWith('gemini') || name.startsWith('gemma')) return 'google';
  if (/^(?:gpt-oss|grok|qwen|deepseek|.*llama)/.test(name)) return 'any';
  return /^(?:gpt|chatgpt|o\d|codex|dall-e)/.test(name) ? 'openai' : FAMILIES[protocol];
}

/** Tiles of 512 pixels, or patches of 32. Small models apply a factor. */
function openaiPicture(name: string): (size: Pixels) => number {
  if (name.startsWith('gpt-4o-mini')) return (size) => 2_833 + 5_667 * countTiles(size);
  const factor = name.includes('nano') ? 2.46 : name.includes('mini') ? 1.72 : 1.2;
  return (size) => Math.max(85 + 170 * countTiles(size), Math.ceil(factor * countPatches(size)));
}

/** The image is scaled to fit 2,048 pixels, and its shorter side to 768. */
function countTiles({ width, height }: Pixels): number {
  const scale = Math.min(1, 2_048 / Math.max(width, height), 768 / Math.min(width, height));
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

const PATCHES_MAX = 2_500;

function countPatches({ width, height }: Pixels): number {
  return Math.min(PATCHES_MAX, Math.ceil(width / 32) * Math.ceil(height / 32));
}

const ANTHROPIC_PIXELS = 750;

/** Large images are scaled down; since 4.7 less so. */
function anthropicMost(name: string): number {
  return /^claude-(?:[a-z]+-)?(?:3|4-[0-6]|4$)/.test(name) ? 1_640 : 4_800;
}

const GOOGLE_TILE = 258;
/** Gemini 3 has one figure for each resolution. This is the default one. */
const GEMINI_3_PICTURE = 1_120;
/** Larger images are scaled down: four by four tiles, and one for the whole. */
const GOOGLE_TILES_MAX = 17;

function googlePicture(name: string): (size: Pixels) => number {
  const least = /^gemini-[12]/.test(name) ? GOOGLE_TILE : GEMINI_3_PICTURE;
  return ({ width, height }) => {
    if (width <= 384 && height <= 384) return least;
    const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
    // One more for the image as a whole.
    const tiles = 1 + Math.ceil(width / unit) * Math.ceil(height / unit);
    return Math.max(least, Math.min(tiles, GOOGLE_TILES_MAX) * GOOGLE_TILE);
  };
}

const MAKERS: Readonly<Record<Exclude<Family, 'any'>, (name: string) => Rates>> = {
  openai: (name) => {
    const picture = openaiPicture(name);
    // The most patches, and the most tiles.
    const pictureMost = Math.max(
      picture({ width: 2_048, height: 2_048 }),
      picture({ width: 768, height: 2_048 }),
    );
    return { picture, pictureMost, page: 2_000, soundSecond: 12, videoSecond: 300 };
  },
  anthropic: (name) => {
    const pictureMost = anthropicMost(name);
    const picture = ({ width, height }: Pixels): number =>
      Math.min(pictureMost, Math.ceil((width * height) / ANTHROPIC_PIXELS) + 10);
    return { picture, pictureMost, page: 3_500, soundSecond: 40, videoSecond: 300 };
  },
  google: (name) => ({
    picture: googlePicture(name),
    pictureMost: GOOGLE_TILES_MAX * GOOGLE_TILE,
    page: 1_500,
    soundSecond: 40,
    videoSecond: 300,
  }),
};

export function tokenRates(protocol: Protocol, model: string): Rates {
  const name = plainModelName(model);
  const family = tokenFamily(protocol, model);
  if (family !== 'any') return MAKERS[family](name);
  const all = Object.values(MAKERS).map((make) => make(''));
  const most = (of: (rates: Rates) => number): number => Math.max(...all.map(of));
  return {
    picture: (size) => most(({ picture }) => picture(size)),
    pictureMost: most(({ pictureMost }) => pictureMost),
    page: most(({ page }) => page),
    soundSecond: most(({ soundSecond }) => soundSecond),
    videoSecond: most(({ videoSecond }) => videoSecond),
  };
}

/** A file whose bytes are available; `head` is its beginning. */
export interface MediaBytes {
  readonly head: Buffer;
  /** For a PDF. */
  readonly pages?: () => number;
  /** For sound and films. */
  readonly length?: () => SoundLength;
  readonly bytes: number;
  /** The type that the client declares. */
  readonly mime: string;
}

/** A token of a text is rarely shorter. */
const TEXT_BYTES_PER_TOKEN = 3;

/** An upper estimate of the input tokens of a file. */
export function fileTokens(file: MediaBytes, rates: Rates): number {
  const { head, pages, length, bytes, mime } = file;
  const named = kindOfName(mime);
  const format = findFormat(head);
  // A file that is declared as text is read as text, whatever its first bytes.
  const kind = format === undefined || named === 'text' ? named : KINDS[format];
  if (kind === 'picture') {
    const size = format === undefined ? undefined : pictureSize(format, head);
    return size === undefined ? rates.pictureMost : rates.picture(size);
  }
  if (pages !== undefined && kind === 'document') return pages() * rates.page;
  if (length !== undefined && (kind === 'sound' || kind === 'video')) {
    const { seconds, asFilm } = length();
    // A video container may contain only audio.
    const isSound = kind === 'sound' || mime.startsWith('audio/');
    return isSound ? seconds * rates.soundSecond : asFilm * rates.videoSecond;
  }
  return Math.ceil(bytes / TEXT_BYTES_PER_TOKEN);
}

/**
 * The size of a file that the vendor fetches or has stored is unknown: a large one of its kind is assumed.
 */
const UNKNOWN_PAGES = 20;
const UNKNOWN_SOUND_SECONDS = 600;
const UNKNOWN_VIDEO_SECONDS = 200;
const UNKNOWN_TEXT_TOKENS = 20_000;

export function addressTokens(kind: MediaKind, rates: Rates): number {
  switch (kind) {
    case 'picture':
      return rates.pictureMost;
    case 'sound':
      return UNKNOWN_SOUND_SECONDS * rates.soundSecond;
    case 'video':
      return UNKNOWN_VIDEO_SECONDS * rates.videoSecond;
    case 'document':
      return Math.max(UNKNOWN_PAGES * rates.page, UNKNOWN_TEXT_TOKENS);
    default:
      return UNKNOWN_TEXT_TOKENS;
  }
}
