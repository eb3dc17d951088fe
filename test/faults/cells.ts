import type { TruthCall } from '../../sim/truth.ts';
import type { World } from '../support/world.ts';
import { type Form, type Reading, SURFACES, type Surface } from './surfaces.ts';
import { exchange, type Received } from './wire.ts';

/**
 * What a client must see of a fault.
 * - `refused`: nothing of an answer reached it; an error with this status, ours (`code`) or the vendor's own.
 * - `complete`: the whole answer with its terminator, charged to the token.
 * - `cut`: the beginning of an answer, one error event, and a reset.
 */
export type Expected =
  | { readonly kind: 'refused'; readonly status: number; readonly code?: number }
  | { readonly kind: 'complete' }
  | { readonly kind: 'cut' };

export interface FaultRow {
  /** Words of a directive: `fault=reset@3`. */
  readonly directive: string;
  readonly stream?: Expected;
  readonly plain?: Expected;
  /** Only for these surfaces; all when left out. */
  readonly only?: readonly Surface['name'][];
  /** The usage of the vendor cannot be trusted: input is our own count. */
  readonly figures?: 'estimated';
}

export interface Cell {
  readonly row: FaultRow;
  readonly surface: Surface;
  readonly form: Form;
  readonly expected: Expected;
  readonly model: string;
  readonly tag: string;
}

export function cellsOf(rows: readonly FaultRow[]): readonly Cell[] {
  const cells: Cell[] = [];
  for (const row of rows) {
    for (const form of ['stream', 'plain'] as const) {
      const expected = row[form];
      if (expected === undefined) continue;
      for (const surface of SURFACES) {
        if (row.only?.includes(surface.name) === false) continue;
        // A plain answer of generateContent has one form only.
        if (form === 'plain' && surface.name === 'gemini-array') continue;
        const tag = `cell-${cells.length}`;
        cells.push({ row, surface, form, expected, model: tag, tag });
      }
    }
  }
  return cells;
}

const VENDOR_OF = { chat: 'openai', responses: 'openai', messages: 'anthropic', gemini: 'google' } as const;
const FORWARD_OF = {
  chat: 'gpt-5',
  responses: 'gpt-5',
  messages: 'claude-sonnet-5',
  gemini: 'gemini-3-pro',
} as const;

/** A model for each cell: breakers and cool-downs of one fault must not reach into another. */
export function modelsOf(cells: readonly Cell[]): string {
  return cells
    .map(({ surface: { protocol }, model }) => {
      const vendor = VENDOR_OF[protocol];
      const route = `{ vendor: ${vendor}, credential: ${vendor}-main, forward_model_id: ${FORWARD_OF[protocol]} }`;
      return `  - { model_id: ${model}, prices: { input: "10", output: "30" }, routes: [${route}] }\n`;
    })
    .join('');
}

/** The row of the call log, as far as it is looked at. */
export interface CallRow {
  readonly model_asked: string;
  readonly verdict: string;
  readonly status: number;
  readonly error_code: number | null;
  readonly output: number;
  readonly input: number;
  readonly estimated: boolean;
  readonly amount_micro: bigint;
  readonly attempts: readonly { readonly outcome: string; readonly credential: string }[];
}

export interface CellResult {
  readonly received: Received;
  /** Of a stream that began. */
  readonly reading: Reading | undefined;
  readonly truth: readonly TruthCall[];
  readonly calls: readonly CallRow[];
}

const PARALLEL = 24;

/** Runs all cells, a few at a time, and collects what client, vendor and call log say of each. */
export async function runCells(world: World, cells: readonly Cell[]): Promise<ReadonlyMap<Cell, CellResult>> {
  const received = new Map<Cell, Received>();
  const waiting = [...cells];
  const worker = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      received.set(cell, await send(world, cell));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  await world.settled();
  const rows = await readCalls(world);
  return new Map(
    [...received].map(([cell, got]) => [
      cell,
      {
        received: got,
        reading: readingOf(cell, got),
        truth: world.simulator.truth.list(cell.tag),
        calls: rows.filter(({ model_asked }) => model_asked === cell.model),
      },
    ]),
  );
}

/** Nothing for a text that a client of this protocol cannot read. */
function readingOf({ form, surface }: Cell, { status, text }: Received): Reading | undefined {
  if (form === 'plain' || status !== 200) return undefined;
  try {
    return surface.read(text);
  } catch {
    return undefined;
  }
}

function send(world: World, { surface, form, model, tag, row }: Cell): Promise<Received> {
  const prompt = `hello [[sim tag=${tag} tokens=12 ${row.directive}]]`;
  return exchange(world.url, {
    path: surface.path(model, form),
    headers: world.headers(),
    body: JSON.stringify(surface.body(model, prompt, form)),
  });
}

export async function readCalls(world: World): Promise<readonly CallRow[]> {
  return await world.database.query<CallRow & Record<string, unknown>>(
    `select model_asked, verdict, status, error_code, (output_text + output_reasoning)::int as output,
       (input_fresh + cache_read + cache_write)::int as input, estimated, amount_micro, attempts
     from calls order by created_at`,
  );
}
