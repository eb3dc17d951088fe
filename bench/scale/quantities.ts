/** Bytes, rows and cores that follow from the cost table by multiplication. */
import { renderTable } from '../report/table.ts';
import { BUSY_MAX, type Capacity, RATES, sizeFor } from './sizing.ts';
import { type CostTable, type Window, windowOf } from './table.ts';

const DAY_S = 86_400;
const MONTH_DAYS = 30;
const BILLION = 1e9;

/** The kinds of traffic whose processor time was measured; each node has one core for its event loop. */
const PROFILES = [
  { name: 'json-small', what: 'plain answers of 0.6 KB' },
  { name: 'stream-short', what: 'streams of 20 events' },
  { name: 'messages-over-chat', what: 'streams of 500 chunks, converted' },
] as const;

export function renderProfiles(table: CostTable): string {
  const rows = PROFILES.map(({ name, what }) => {
    const window = windowOf(table.server, name);
    const nodes = RATES.map((rate) => String(Math.ceil((rate * window.nodeMs) / 1000 / BUSY_MAX)));
    return [what, window.nodeMs.toFixed(3), ...nodes];
  });
  return renderTable(['traffic', 'node ms', ...RATES.map((rate) => `${label(rate)} calls/s`)], rows);
}

function label(rate: number): string {
  return rate.toLocaleString('en');
}

/** Of the busiest window: settling in full batches, as a busy installation does. */
function busy(table: CostTable): Window {
  return windowOf(table.cluster, 'json-small');
}

export function renderStorage(table: CostTable): string {
  const { walBytes, tableBytes, batches } = busy(table);
  const rows = RATES.map((rate) => [
    label(rate),
    label(Math.round(rate * DAY_S)),
    bytesText(rate * DAY_S * tableBytes),
    bytesText(rate * DAY_S * MONTH_DAYS * tableBytes),
    `${bytesText(rate * walBytes)}/s`,
    label(Math.max(1, Math.round(rate * batches))),
    (rate / table.settling.callsPerSecond).toFixed(2),
  ]);
  const head = [
    'calls/s',
    'calls a day',
    'tables and indexes a day',
    'a partition (30 days)',
    'WAL',
    'settling transactions/s',
    'connections that settle all the time',
  ];
  return renderTable(head, rows);
}

export function renderNetwork(table: CostTable): string {
  const { redisBytesIn, redisBytesOut, requestBytes, answerBytes, walBytes } = busy(table);
  const rows = RATES.map((rate) => [
    label(rate),
    bitsText(rate * requestBytes),
    bitsText(rate * answerBytes),
    bitsText(rate * redisBytesIn),
    bitsText(rate * redisBytesOut),
    bitsText(rate * walBytes),
  ]);
  const head = [
    'calls/s',
    'requests in, and out to vendors',
    'answers in, and out to clients',
    'to Redis',
    'from Redis',
    'WAL to a replica',
  ];
  return renderTable(head, rows);
}

export function renderMonth(table: CostTable, capacity: Capacity): string {
  const perSecond = BILLION / (MONTH_DAYS * DAY_S);
  const peak = perSecond * PEAK;
  const { tableBytes, walBytes, redisBytesIn, redisBytesOut } = busy(table);
  const { nodes, shards, postgresCores } = sizeFor(peak, capacity);
  return renderTable(
    ['', 'figure', 'how'],
    [
      ['calls/s, mean', label(Math.round(perSecond)), 'a billion over 30 days'],
      ['calls/s, peak', label(Math.round(peak)), `${PEAK} times the mean: an assumption`],
      [
        'nodes, shards, cores of PostgreSQL',
        `${nodes}, ${shards}, ${postgresCores}`,
        'for the peak, computed',
      ],
      ['tables and indexes', bytesText(BILLION * tableBytes), 'computed from bytes for a call'],
      ['WAL', bytesText(BILLION * walBytes), 'computed'],
      ['to and from Redis', bytesText(BILLION * (redisBytesIn + redisBytesOut)), 'computed'],
      ['rows in `calls`', label(BILLION), 'one for each call'],
    ],
  );
}

/** Of a day's traffic; who knows his own puts it here. */
const PEAK = 4;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`;
}

function bitsText(bytesPerSecond: number): string {
  return `${Number(((bytesPerSecond * 8) / 1e6).toPrecision(3))} Mbit/s`;
}
