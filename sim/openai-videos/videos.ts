import { createHash } from 'node:crypto';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { VIDEO_BYTES_MAX, VIDEOS_STORED_MAX } from '../bounds.ts';

export type VideoStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

export interface NewVideo {
  readonly id: string;
  /** Who created it. Nobody else knows it. */
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  readonly seconds: string;
  readonly size: string;
  /** It ends when it was asked for so many times, or when a test says so. */
  readonly steps: number;
  readonly ending: 'completed' | 'failed';
  readonly kibibytes: number;
  /** Between two pieces of its content. */
  readonly paceMs: number;
}

export interface Video extends NewVideo {
  readonly createdSeconds: number;
  status: VideoStatus;
  polls: number;
  endedSeconds: number | undefined;
}

const EXPIRES_SECONDS = 3_600;
const KIB = 1024;

/** The videos of all keys: what was asked for, and what was really made. */
export class Videos {
  readonly #videos = new Map<string, Video>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(asked: NewVideo): Video {
    if (this.#videos.size >= VIDEOS_STORED_MAX) {
      for (const oldest of this.#videos.keys()) {
        this.#videos.delete(oldest);
        break;
      }
    }
    const made: Video = {
      ...asked,
      createdSeconds: this.#seconds(),
      status: 'queued',
      polls: 0,
      endedSeconds: undefined,
    };
    this.#videos.set(made.id, made);
    return made;
  }

  /** Those of one key, the newest first. */
  list(key: string): readonly Video[] {
    return [...this.#videos.values()].filter((video) => video.key === key).reverse();
  }

  /** The truth: what this key is billed for. */
  completed(key: string): number {
    return this.list(key).filter(({ status }) => status === 'completed').length;
  }

  find(key: string, id: string): Video | undefined {
    const video = this.#videos.get(id);
    return video?.key === key ? video : undefined;
  }

  /** Somebody asks how far it is. */
  poll(video: Video): void {
    video.polls += 1;
    if (video.status !== 'queued' && video.status !== 'in_progress') return;
    if (video.polls >= video.steps) this.end(video.id, video.ending);
    else video.status = 'in_progress';
  }

  end(id: string, status: 'completed' | 'failed'): void {
    const video = this.#videos.get(id);
    if (video === undefined) return;
    video.status = status;
    video.endedSeconds = this.#seconds();
  }

  /** It is deleted, or has expired. */
  forget(id: string): void {
    this.#videos.delete(id);
  }

  clear(): void {
    this.#videos.clear();
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

/** As the vendor shows it. */
export function showVideo(video: Video): object {
  const { status, endedSeconds } = video;
  const isDone = status === 'completed';
  return {
    id: video.id,
    object: 'video',
    created_at: video.createdSeconds,
    status,
    completed_at: isDone ? endedSeconds : null,
    error: status === 'failed' ? { code: 'moderation_blocked', message: 'The prompt was blocked.' } : null,
    expires_at: isDone && endedSeconds !== undefined ? endedSeconds + EXPIRES_SECONDS : null,
    model: video.model,
    progress: isDone ? 100 : Math.min(99, Math.floor((video.polls / video.steps) * 100)),
    prompt: video.prompt,
    remixed_from_video_id: null,
    seconds: video.seconds,
    size: video.size,
  };
}

/** The bytes of a video that is never seen: the same for the same id. */
export function contentOf(id: string, kibibytes: number): Buffer {
  const seed = createHash('sha512').update(id).digest();
  const bytes = Math.min(kibibytes * KIB, VIDEO_BYTES_MAX);
  return Buffer.alloc(bytes, seed);
}
