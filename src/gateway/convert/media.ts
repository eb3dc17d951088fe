import { MEDIA_CALL_BYTES_MAX, MEDIA_ITEMS_MAX } from '../../bounds.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import type { Target } from '../../protocol/hub/codec.ts';
import type { FilePart, ImagePart, Part } from '../../protocol/hub/part.ts';
import type { HubRequest, Turn } from '../../protocol/hub/request.ts';
import { addressedTokens, type CountedBy, fetchedTokens } from '../../protocol/media/fetched.ts';
import type { FetchedMedia, MediaFailure, MediaFetcher } from '../../upstream/contract.ts';
import type { AttemptContext } from '../attempt/attempt-context.ts';
import { refuseMemory, reserveMemory } from '../attempt/memory-budget.ts';
import type { MediaLoader } from '../call.ts';

type MediaPart = ImagePart | FilePart;

const PDF = 'application/pdf';

/** What the client may know about a failed fetch. Never the address, which may be signed. */
const FAILURE_TEXTS: Readonly<Record<MediaFailure['reason'], string>> = {
  address: 'only http and https addresses on their usual ports are fetched',
  unreachable: 'the address could not be fetched',
  'too-slow': 'the address could not be fetched in time',
  'too-large': 'the content of the address is too large',
  type: 'the content of the address is not a type that models read',
  'no-room': 'there is not enough memory for the content of the address',
};

/** Fetches the media of one call: each address once for all routes, and a limited number of addresses. */
export class CallMedia implements MediaLoader {
  readonly #context: AttemptContext;
  readonly #fetcher: MediaFetcher;
  readonly #fetched = new Map<string, Promise<FetchedMedia | MediaFailure>>();
  readonly #left = new AbortController();
  #fetchedBytes = 0;

  constructor(context: AttemptContext) {
    const { response, deps } = context;
    this.#context = context;
    this.#fetcher = deps.media;
    if (response.closed) this.#left.abort();
    else response.once('close', () => this.#left.abort());
  }

  /** `what` names the kind of content in the refusal. */
  async fetch(address: string, what: string): Promise<FetchedMedia | Refusal> {
    let fetching = this.#fetched.get(address);
    if (fetching === undefined) {
      if (this.#fetched.size >= MEDIA_ITEMS_MAX) {
        const message = `${what}: more than ${MEDIA_ITEMS_MAX} addresses are not fetched in one call`;
        return refuse('notExpressible', { message });
      }
      // Other calls may have the place meanwhile.
      this.#context.reservation?.cancel();
      fetching = this.#fetcher.fetch(address, {
        signal: this.#left.signal,
        room: (bytes) => this.#take(bytes),
      });
      this.#fetched.set(address, fetching);
    }
    const media = await fetching;
    return media.kind === 'media' ? media : this.#refuse(media, what);
  }

  #refuse({ reason, detail }: MediaFailure, what: string): Refusal {
    const { deps, call } = this.#context;
    deps.log.info({ requestId: call.id, reason, detail }, 'media was not fetched');
    const isFull = this.#fetchedBytes > MEDIA_CALL_BYTES_MAX;
    if (reason !== 'no-room')
      return refuse('notExpressible', { message: `${what}: ${FAILURE_TEXTS[reason]}` });
    return isFull ? tooMuch(what) : refuseMemory();
  }

  #take(bytes: number): boolean {
    this.#fetchedBytes += bytes;
    if (this.#left.signal.aborted || this.#fetchedBytes > MEDIA_CALL_BYTES_MAX) return false;
    return reserveMemory(this.#context, bytes);
  }
}

/** How media tokens are counted: as in the client's request, and as by the vendor that gets the media. */
export interface MediaCounting {
  readonly asked: CountedBy;
  readonly served: CountedBy;
}

/** The media of one conversion. An address is fetched once, but a request may name it a thousand times. */
export class MediaShare {
  /** Input tokens of the fetched media, minus what their addresses counted before. */
  inputTokens = 0;
  readonly #media: () => MediaLoader;
  readonly #counting: MediaCounting;
  readonly #tokens = new Map<FetchedMedia, number>();
  #bytes = 0;

  constructor(media: () => MediaLoader, counting: MediaCounting) {
    this.#media = media;
    this.#counting = counting;
  }

  async fetch(address: string, what: MediaPart['kind']): Promise<FetchedMedia | Refusal> {
    const media = await this.#media().fetch(address, what);
    if (isRefusal(media)) return media;
    this.#bytes += media.bytes.length;
    if (this.#bytes > MEDIA_CALL_BYTES_MAX) return tooMuch(what);
    const { asked, served } = this.#counting;
    const tokens = this.#tokens.get(media) ?? fetchedTokens(media, served);
    this.#tokens.set(media, tokens);
    this.inputTokens += tokens - addressedTokens(address, what === 'image' ? 'picture' : 'document', asked);
    return media;
  }
}

function tooMuch(what: string): Refusal {
  const mebibytes = MEDIA_CALL_BYTES_MAX / 1024 / 1024;
  const message = `${what}: more than ${mebibytes} MiB are not fetched in one call`;
  return refuse('notExpressible', { message });
}

/** Created on first use, because few calls fetch anything. */
export function getCallMedia(context: AttemptContext): MediaLoader {
  context.call.media ??= new CallMedia(context);
  return context.call.media;
}

/**
 * Replaces the images and files that the client named by address with their bytes, if the target cannot fetch
 * the address (rule C-19). Returns the same object if there is nothing to fetch.
 */
export function withMedia(
  request: HubRequest,
  target: Target,
  media: MediaShare,
): HubRequest | Promise<HubRequest | Refusal> {
  const wanted = request.turns.flatMap(({ parts }) => wantedParts(parts, target));
  return wanted.length === 0 ? request : replaceMedia(request, wanted, media);
}

async function replaceMedia(
  request: HubRequest,
  wanted: readonly MediaPart[],
  media: MediaShare,
): Promise<HubRequest | Refusal> {
  const fetched = new Map<MediaPart, MediaPart>();
  const results = await Promise.all(
    wanted.map(async (part) => {
      const result = await media.fetch(toAddressOrEmpty(part), part.kind);
      if (isRefusal(result)) return result;
      const replacement = withBytes(part, result);
      if (!isRefusal(replacement)) fetched.set(part, replacement);
      return replacement;
    }),
  );
  const refusal = results.find(isRefusal);
  if (refusal !== undefined) return refusal;
  return { ...request, turns: request.turns.map((turn) => replaceParts(turn, fetched)) };
}

function wantedParts(parts: readonly Part[], target: Target): readonly MediaPart[] {
  return parts.flatMap((part) => {
    if (part.kind === 'tool-result') return wantedParts(part.parts, target);
    if (part.kind !== 'image' && part.kind !== 'file') return [];
    return /^https?:/i.test(toAddressOrEmpty(part)) && !takesAddress(part, target) ? [part] : [];
  });
}

function toAddressOrEmpty({ source }: MediaPart): string {
  return source.kind === 'url' ? source.url : '';
}

/** Chat Completions has addresses for images only. */
function takesAddress(part: MediaPart, { protocol, capabilities }: Target): boolean {
  return capabilities.mediaUrls && !(protocol === 'chat' && part.kind === 'file');
}

function withBytes(part: MediaPart, { mime, bytes }: FetchedMedia): MediaPart | Refusal {
  const { kind, cache } = part;
  const isPicture = mime.startsWith('image/');
  if (kind === 'image' && !isPicture) {
    return refuse('notExpressible', { message: 'image: the address does not lead to an image' });
  }
  const source = { kind: 'bytes', mime, base64: bytes.toString('base64') } as const;
  if (kind === 'image') return { ...part, source };
  // A file that turns out to be an image is sent as an image: vendors would not look at it in a file.
  if (isPicture) return { kind: 'image', source, cache };
  // Text files are sent as text, which every vendor reads.
  return { ...part, source: mime === PDF ? source : { kind: 'text', text: bytes.toString('utf8') } };
}

function replaceParts(turn: Turn, fetched: ReadonlyMap<MediaPart, MediaPart>): Turn {
  return { role: turn.role, parts: replaced(turn.parts, fetched) };
}

function replaced(parts: readonly Part[], fetched: ReadonlyMap<MediaPart, MediaPart>): readonly Part[] {
  return parts.map((part) => {
    if (part.kind === 'tool-result') return { ...part, parts: replaced(part.parts, fetched) };
    return part.kind === 'image' || part.kind === 'file' ? (fetched.get(part) ?? part) : part;
  });
}
