/** What a conversion costs, against passing through. */
import type { Cell } from '../report/result.ts';
import { ratioOf, type Spread, spreadOf } from '../report/statistics.ts';
import { renderTable, spreadText } from '../report/table.ts';
import { DIALECT_NAMES, DIALECTS, type DialectName } from './dialect.ts';

/** A conversion may cost at most this many times what the vendor's stream costs when it passes through. */
export const CONVERSION_RATIO_MAX = 2;

export interface PairLine {
  readonly client: DialectName;
  readonly vendor: DialectName;
  /** CPU-seconds of Tollgate's own process for 100k chunks of content. */
  readonly cost: Spread;
  /** Against a client of the vendor's protocol: the same chunks come in. The goal is about this one. */
  readonly ofVendor: Spread;
  /** Against a vendor of the client's protocol: the same events go out. */
  readonly ofClient: Spread;
}

export function pairLines(cells: readonly Cell[]): readonly PairLine[] {
  const costs = (client: DialectName, vendor: DialectName): ReadonlyMap<number, number> =>
    costsOf(cells.filter((each) => each.pair?.client === client && each.pair.vendor === vendor));
  return DIALECT_NAMES.flatMap((vendor) =>
    DIALECT_NAMES.flatMap((client) => {
      const own = costs(client, vendor);
      const cost = spreadOf([...own.values()]);
      const ofVendor = ratioOf(own, costs(vendor, vendor));
      const ofClient = ratioOf(own, costs(client, client));
      const isMeasured = cost !== undefined && ofVendor !== undefined && ofClient !== undefined;
      return isMeasured ? [{ client, vendor, cost, ofVendor, ofClient }] : [];
    }),
  );
}

/** Chunks, not events: a client's stream has more or fewer events around its content than its vendor's. */
function costsOf(cells: readonly Cell[]): ReadonlyMap<number, number> {
  const costs = new Map<number, number>();
  for (const { pair, contentChunks, load, gateway, repeat } of cells) {
    if (pair === undefined || load.events === 0) continue;
    const chunks = (load.events * contentChunks) / (contentChunks + DIALECTS[pair.client].eventsAround);
    costs.set(repeat, (gateway.cpuMs / 1000 / chunks) * 100_000);
  }
  return costs;
}

export function renderPairs(cells: readonly Cell[]): string {
  const head = [
    'vendor',
    'client',
    'CPU-s per 100k chunks',
    '× vendor passed through',
    '× client passed through',
    `at most ${CONVERSION_RATIO_MAX} × vendor`,
  ];
  const rows = pairLines(cells).map((line) => {
    const isConverted = line.client !== line.vendor;
    const verdict = line.ofVendor.median <= CONVERSION_RATIO_MAX ? 'met' : 'missed';
    return [
      line.vendor,
      line.client,
      spreadText(line.cost, 3),
      isConverted ? spreadText(line.ofVendor, 2) : '',
      isConverted ? spreadText(line.ofClient, 2) : '',
      isConverted ? verdict : 'passes through',
    ];
  });
  return `## Conversions\n\n${renderTable(head, rows)}`;
}
