import {
  CHANNELS_PER_OWNER_MAX,
  DEAD_KEPT_MS,
  DELIVERY_ATTEMPTS_MAX,
  WEBHOOK_ANSWER_BYTES_MAX,
  WEBHOOK_WAIT_MS,
} from '../../src/alerts/bounds.ts';
import { OPERATOR_ALERTS } from '../../src/alerts/contract.ts';
import {
  CREDENTIAL_TRUSTED_MS,
  CREDITS_LOW_MICRO,
  DISK_FREE_MIN,
  KEY_EXPIRING_MS,
  LAG_CALLS,
  LAG_MS,
  STANDSTILL_MS,
} from '../../src/alerts/thresholds.ts';
import {
  BREAKER_FAILURES,
  CHANGE_ACKNOWLEDGE_MS,
  EMBEDDED_CACHE_BYTES_MAX,
  EMBEDDED_CACHE_BYTES_MIN,
  HEARTBEAT_LIVE_MS,
  JOURNAL_BYTES_MAX,
  LISTEN_RETRY_MS,
  LISTEN_RETRY_MS_MAX,
  REQUEST_BODY_BYTES_MAX,
  SETTLE_POSTPONED_MS_MAX,
  WORKER_RESTART_MS,
  WORKER_RESTART_MS_MAX,
} from '../../src/bounds.ts';
import { TEXT_PROTOCOLS } from '../../src/catalog/presets/preset.ts';
import { SHAPES } from '../../src/cli/demo/demo-shapes.ts';
import { BATCH_BYTES_MAX, BATCH_CALLS_MAX, INSERT_MS_MAX } from '../../src/clickhouse/bounds.ts';
import { SETTINGS } from '../../src/config.ts';
import { GATE_LEASE_MS, REDIS_EXTEND_WAIT_MS } from '../../src/gate/redis/bounds.ts';
import { LIST_ASKS_AT_ONCE, LIST_SIZE, LIST_SIZE_MAX } from '../../src/gateway/jobs/bounds.ts';
import { LABEL_SETS_MAX } from '../../src/http/metrics.ts';
import { FILE_KEPT_MS, JOB_AGES_MS_MAX } from '../../src/jobs/bounds.ts';
import { JOB_KINDS } from '../../src/jobs/contract.ts';
import { PROTOCOLS } from '../../src/kernel/protocol-name.ts';
import { TELEMETRY_DRAIN_MS } from '../../src/open-telemetry/bounds.ts';
import {
  EXPORT_DAYS_MAX,
  FILTER_MODELS_MAX,
  RANKING_LIFE_MS,
  SEARCH_MS_MAX,
  STATS_GROUPS_MAX,
  TREND_DAYS_MAX,
  TREND_HOURS_MAX,
  TREND_MINUTES_MAX,
} from '../../src/operations/bounds.ts';
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, LINE_LENGTH_MAX, PARAMETERS_MAX } from '../house/tidy.ts';
import type { Tree } from '../house/tree.ts';

/** Figures of the code, in the words of the documents. */

const ONES = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';
const WORDS: Readonly<Record<number, string>> = { ...ONES.split(' '), 20: 'twenty' };
const word = (count: number): string => WORDS[count] ?? String(count);
const many = (count: number): string => count.toLocaleString('en');
const seconds = (ms: number): string => `${ms / 1000} s`;
const days = (ms: number): number => ms / 86_400_000;
const mib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
const gib = (bytes: number): string => `${bytes / 2 ** 30} GiB`;
const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const codecs = TEXT_PROTOCOLS.length;
const pairs = (count: number): number => count * (count - 1);

/** By document: phrases that it contains, with the figure that the code has. */
export const PHRASES: Readonly<Record<string, readonly string[]>> = {
  'README.md': [
    `one call in each of ${word(SHAPES.length)} protocols`,
    `serves on port ${SETTINGS.port.standard}`,
    `${many(Number(SETTINGS.creditsPerYuan.standard))} to the yuan by default`,
  ],
  'ARCHITECTURE.md': [
    `What a client or vendor speaks: ${codes(PROTOCOLS)}.`,
    `one hub, ${word(codecs)} codecs`,
    `${word(codecs)} of them make ${word(pairs(codecs))} pairs`,
    `all ${word(pairs(codecs + 1))} pairs`,
  ],
  'CONTRIBUTING.md': [
    `Files up to ${FILE_LINES_MAX} lines`,
    `functions up to ${FUNCTION_LINES_MAX}, up to ${PARAMETERS_MAX} parameters`,
    `lines up to ${LINE_LENGTH_MAX}`,
  ],
  'docs/clients.md': [
    `at most ${word(LIST_ASKS_AT_ONCE)} at once: ${LIST_SIZE} of them if \`limit\` is absent, and ${LIST_SIZE_MAX} at most`,
    `here it is known for ${days(FILE_KEPT_MS)} days`,
    `is not complete after ${days(JOB_AGES_MS_MAX.video) === 1 ? 'a day' : 'another time'}`,
  ],
  'docs/install.md': [`\`TOLLGATE_DRAIN_MS\` (${seconds(Number(SETTINGS.drainMs.standard))})`],
  'docs/front.md': [`bodies of ${mib(REQUEST_BODY_BYTES_MAX)} and more`],
  'docs/operations.md': [
    `serves on \`TOLLGATE_PORT\` (${SETTINGS.port.standard})`,
    `is replaced after ${seconds(WORKER_RESTART_MS)}, at most ${seconds(WORKER_RESTART_MS_MAX)} when`,
    `between ${mib(EMBEDDED_CACHE_BYTES_MIN)} and ${gib(EMBEDDED_CACHE_BYTES_MAX)}`,
    `took no heartbeat for ${HEARTBEAT_LIVE_MS / 1000} seconds`,
    `At ${gib(JOURNAL_BYTES_MAX)} new calls get 50301`,
    `A route failed ${word(BREAKER_FAILURES)} times in a row`,
    `for ${word(SETTLE_POSTPONED_MS_MAX / 60_000)} minutes at most`,
    `within ${seconds(GATE_LEASE_MS)}.`,
    `when one takes longer than ${word(CHANGE_ACKNOWLEDGE_MS / 1000)} seconds`,
    `from ${LISTEN_RETRY_MS / 1000} to ${seconds(LISTEN_RETRY_MS_MAX)} apart`,
    `reported within ${seconds(HEARTBEAT_LIVE_MS)}`,
    `waits ${word(REDIS_EXTEND_WAIT_MS / 1000)} seconds for Redis`,
    `not confirmed it within ${word(CHANGE_ACKNOWLEDGE_MS / 1000)} seconds`,
  ],
  'docs/watching.md': [
    `\`kind\` (${codes(JOB_KINDS)})`,
    `took a heartbeat within ${HEARTBEAT_LIVE_MS / 1000} seconds`,
    `at most ${many(LABEL_SETS_MAX)} sets of labels`,
    `gives what is queued ${word(TELEMETRY_DRAIN_MS / 1000)} seconds`,
  ],
  'docs/alerts.md': [
    `up to ${CHANNELS_PER_OWNER_MAX}.`,
    `over ${many(LAG_CALLS)} ended calls wait for ${word(LAG_MS / 60_000)} minutes, or calls wait and none was settled for ${word(STANDSTILL_MS / 60_000)}`,
    `has less than ${DISK_FREE_MIN * 100} % left`,
    `default ${many(Number(CREDITS_LOW_MICRO / 1_000_000n))}`,
    `expires within ${word(days(KEY_EXPIRING_MS))} days`,
    `401 or 403 within ${word(CREDENTIAL_TRUSTED_MS / 60_000)} minutes`,
    `${word(DELIVERY_ATTEMPTS_MAX)} times within hours`,
    `kept for ${days(DEAD_KEPT_MS)} days as \`dead\``,
    `Answer with any 2xx within ${word(WEBHOOK_WAIT_MS / 1000)} seconds`,
    `at most ${WEBHOOK_ANSWER_BYTES_MAX / 1024} KiB are read`,
    `--alerts ${OPERATOR_ALERTS[0]}`,
  ],
  'docs/logs.md': [
    `The client's protocol: ${codes(PROTOCOLS)}.`,
    `several (${FILTER_MODELS_MAX} at most)`,
    `A year (${EXPORT_DAYS_MAX} days) at most`,
    `at most ${TREND_MINUTES_MAX} minutes, ${TREND_HOURS_MAX} hours or ${TREND_DAYS_MAX} days`,
    `have the ${STATS_GROUPS_MAX} groups with the largest amounts`,
    `at most ${many(BATCH_CALLS_MAX)} calls and ${mib(BATCH_BYTES_MAX)}`,
    `silence of ${INSERT_MS_MAX / 1000} seconds`,
    `told again for ${RANKING_LIFE_MS / 1000} seconds`,
    `${word(SEARCH_MS_MAX / 1000)} seconds at most for a page`,
  ],
};

/** Phrases that a document does not contain: the figure, or the sentence, is another one. */
export function missingPhrases(
  documents: Tree,
  phrases: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  return Object.entries(phrases).flatMap(([path, wanted]) => {
    const text = documents.find((document) => document.path === path)?.text.replace(/\s+/g, ' ') ?? '';
    return wanted.filter((phrase) => !text.includes(phrase)).map((phrase) => `${path}: ${phrase}`);
  });
}
