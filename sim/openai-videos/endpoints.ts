import type { VendorRequest } from '../dialect.ts';
import type { Exchange } from '../exchange.ts';
import { invalid, openaiError, openaiHeaders } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { contentOf, showVideo, type Video, type Videos } from './videos.ts';

export interface VideoAsked {
  readonly action: 'list' | 'read' | 'delete' | 'content';
  readonly id: string;
}

const PATH = /^\/v1\/videos\/([^/]{1,300})(\/content)?$/;
const PIECE_BYTES = 16 * 1024;
const PAGE_SIZE = 20;

export function matchVideo(method: string, path: string): VideoAsked | undefined {
  if (method === 'GET' && path === '/v1/videos') return { action: 'list', id: '' };
  const [, name, content] = PATH.exec(path) ?? [];
  if (name === undefined) return undefined;
  const id = decodeURIComponent(name);
  if (method === 'GET') return { action: content === undefined ? 'read' : 'content', id };
  return method === 'DELETE' && content === undefined ? { action: 'delete', id } : undefined;
}

interface Asking {
  readonly videos: Videos;
  readonly request: VendorRequest;
  readonly exchange: Exchange;
}

export async function serveVideo(asking: Asking, { action, id }: VideoAsked): Promise<void> {
  const { videos, request, exchange } = asking;
  if (action === 'list') return exchange.reply(list(videos, request));
  const video = videos.find(request.key, id);
  if (video === undefined) {
    return exchange.reply(openaiError(404, { message: `Video with id '${id}' not found.` }));
  }
  if (action === 'content') return sendContent(asking, video);
  if (action === 'read') {
    videos.poll(video);
    return exchange.reply(json(showVideo(video)));
  }
  if (video.status !== 'completed' && video.status !== 'failed') {
    return exchange.reply(invalid('Only completed or failed videos can be deleted.', 'video_id', null));
  }
  videos.forget(id);
  exchange.reply(json({ id, object: 'video.deleted', deleted: true }));
}

function list(videos: Videos, { key, query }: VendorRequest): Reply {
  const all = videos.list(key);
  const data = all.slice(0, Number(query.get('limit') ?? PAGE_SIZE)).map(showVideo);
  return json({ object: 'list', data, has_more: data.length < all.length });
}

function json(value: object): Reply {
  return { kind: 'reply', status: 200, headers: openaiHeaders(), body: JSON.stringify(value) };
}

const VARIANTS = new Map([
  ['video', 'video/mp4'],
  ['thumbnail', 'image/webp'],
  ['spritesheet', 'image/jpeg'],
]);

/** In pieces, so that a client which does not read holds it up. A part if the request names one. */
async function sendContent({ request, exchange }: Asking, video: Video): Promise<void> {
  if (video.status !== 'completed') {
    return exchange.reply(
      openaiError(404, { message: 'Video is not ready yet, use GET /v1/videos/{video_id}.' }),
    );
  }
  const variant = request.query.get('variant') ?? 'video';
  const type = VARIANTS.get(variant);
  if (type === undefined) return exchange.reply(invalid('Invalid variant.', 'variant', 'invalid_value'));
  const whole = contentOf(`${video.id} ${variant}`, video.kibibytes);
  const [, from, to] = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = to === undefined || to === '' ? whole.length : Math.min(whole.length, Number(to) + 1);
  const part = whole.subarray(start, end);
  const range = `bytes ${start}-${end - 1}/${whole.length}`;
  exchange.call.status = from === undefined ? 200 : 206;
  exchange.response.writeHead(exchange.call.status, {
    ...openaiHeaders(),
    'content-type': type,
    'content-length': part.length,
    ...(from === undefined ? {} : { 'content-range': range }),
    etag: `"${video.id}"`,
    'set-cookie': 'session=simulated',
  });
  for (let at = 0; at < part.length && !exchange.closed; at += PIECE_BYTES) {
    await exchange.write(part.subarray(at, at + PIECE_BYTES));
    await exchange.pause(video.paceMs);
  }
  exchange.finish('complete');
  exchange.response.end();
}
