/** What a conversion costs, against passing through. */
import type { Cell } from '../report/result.ts';
import { ratioOf, type Spread, spreadOf } from '../report/statistics.ts';
import { renderTable, spreadText } from '../report/table.ts';
import { DIALECT_NAMES, DIALECTS, type DialectName } from './dialect.ts';

/** A conversion may cost at most this many times what a bare proxy needs for the vendor's stream. */
export const CONVERSION_RATIO_MAX = 1.8;

export interface PairLine {
  readonly client: DialectName;
  readonly vendor: DialectName;
  /** CPU-seconds of Tollgate's own process for 100k chunks of content. */
  readonly cost: Spread;
  /** Against a bare proxy that passes the vendor's stream on: the same chunks come in. The goal's. */
  readonly ofBare: Spread | undefined;
  /** Against a client of the vendor's protocol: the same chunks come in. */
  readonly ofVendor: Spread;
  /** Against a vendor of the client's protocol: the same events go out. */
  readonly ofClient: Spread;
}

export function pairLines(cells: readonly Cell[]): readonly PairLine[] {
  const costs = (client: DialectName, vendor: DialectName, target?: 'bare'): ReadonlyMap<number, number> =>
    costsOf(
      cells
        .filter((each) => (each.target === 'bare') === (target === 'bare'))
        .filter((each) => each.pair?.client === client && each.pair.vendor === vendor),
    );
  return DIALECT_NAMES.flatMap((vendor) =>
    DIALECT_NAMES.flatMap((client) => {
      const own = costs(client, vendor);
      const cost = spreadOf([...own.values()]);
      const ofBare = ratioOf(own, costs(vendor, vendor, 'bare'));
      const ofVendor = ratioOf(own, costs(vendor, vendor));
      const ofClient = ratioOf(own, costs(client, client));
      const isMeasured = cost !== undefined && ofVendor !== undefined && ofClient !== undefined;
      return isMeasured ? [{ client, vendor, cost, ofBare, ofVendor, ofClient }] : [];
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
    '× bare',
    '× vendor passed through',
    '× client passed through',
    `at most ${CONVERSION_RATIO_MAX} × bare`,
  ];
  const rows = pairLines(cells).map((line) => {
    const isConverted = line.client !== line.vendor;
    const ratio = line.ofBare?.median;
    const verdict = ratio === undefined ? '' : ratio <= CONVERSION_RATIO_MAX ? 'met' : 'missed';
    return [
      line.vendor,
      line.client,
      spreadText(line.cost, 3),
      spreadText(line.ofBare, 2),
      isConverted ? spreadText(line.ofVendor, 2) : '',
      isConverted ? spreadText(line.ofClient, 2) : '',
      isConverted ? verdict : 'passes through',
    ];
  });
  return `## Conversions\n\n${renderTable(head, rows)}`;
}

/** The converted pair that costs most beside the bare proxy. */
export function worstPair(cells: readonly Cell[]): PairLine | undefined {
  return pairLines(cells)
    .filter(({ client, vendor, ofBare }) => client !== vendor && ofBare !== undefined)
    .sort((left, right) => (right.ofBare?.median ?? 0) - (left.ofBare?.median ?? 0))[0];
}
