import { compilePaths } from '../../bytes/paths.ts';
import { Skimmer } from '../../bytes/skim.ts';
import { type Edit, splice } from '../../bytes/splice.ts';
import { isObject, type JsonObject, readJson, writeJson } from '../../hub/content/json.ts';

/** A response in the background, before it is complete. */
export interface BackgroundState {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly status: 'queued' | 'in_progress' | 'failed' | 'cancelled';
  /** Why it failed. */
  readonly message?: string;
}

export function writeBackground({ id, model, createdAtMs, status, message }: BackgroundState): string {
  return writeJson({
    ...{ id, object: 'response', created_at: Math.floor(createdAtMs / 1000), status, background: true },
    error: message === undefined ? null : { code: 'server_error', message },
    ...{ incomplete_details: null, instructions: null, metadata: {}, model, output: [] },
    ...{ parallel_tool_calls: true, temperature: null, tool_choice: 'auto', tools: [], top_p: null },
    ...{ previous_response_id: null, usage: null },
  });
}

const NO_RAW_KEYS: ReadonlySet<string> = new Set();
/** Longer ones are answers. */
const STATE_BYTES_MAX = 8_192;

/** What a stored response says of its work in the background; `undefined` if it is complete. */
export function readBackground(response: Buffer): BackgroundState | undefined {
  const text = response.length > STATE_BYTES_MAX ? '' : response.toString('utf8');
  const {
    id,
    model,
    created_at: createdAtS,
    status,
    background,
    error,
  }: JsonObject = readJson(text, NO_RAW_KEYS) ?? {};
  if (background !== true || typeof id !== 'string' || typeof model !== 'string') return undefined;
  if (status !== 'in_progress' && status !== 'failed' && status !== 'cancelled') return undefined;
  const message = isObject(error) && typeof error.message === 'string' ? { message: error.message } : {};
  return { id, model, createdAtMs: Number(createdAtS) * 1000, status, ...message };
}

const TREE = compilePaths({ id: 'id', background: 'background' });
const skimmer = new Skimmer(TREE);

/** Whether the response was made in the background. */
export function isBackground(response: Buffer): boolean {
  if (skimmer.run(response, 0, response.length) < 0) return false;
  const [start, end] = [skimmer.starts[TREE.slots.background], skimmer.ends[TREE.slots.background]];
  return start !== undefined && start >= 0 && response.toString('latin1', start, end) === 'true';
}

/** The vendor's answer with the id that the client was given. */
export function nameResponse(answer: Buffer, id: string): Buffer {
  if (skimmer.run(answer, 0, answer.length) < 0) return answer;
  const edits: Edit[] = [];
  for (const [slot, bytes] of [
    [TREE.slots.id, JSON.stringify(id)],
    [TREE.slots.background, 'true'],
  ] as const) {
    const at = { start: skimmer.starts[slot] as number, end: skimmer.ends[slot] as number };
    if (at.start >= 0) edits.push({ at, bytes: Buffer.from(bytes) });
  }
  return Buffer.concat(splice(answer, edits));
}
