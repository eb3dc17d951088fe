import { POLICY_WINDOWS_MAX } from '../../bounds.ts';
import { MICRO } from '../../kernel/money.ts';
import {
  type Announcement,
  type CoverageWindow,
  DIMENSIONS,
  type GatewayNode,
  type Plan,
  type Policy,
  type PolicyWindow,
} from '../contract.ts';
import {
  address,
  boolean,
  choice,
  integer,
  list,
  object,
  optional,
  prose,
  type Reader,
  report,
  required,
  text,
} from './reader.ts';
import { amount, code, INTEGER_MAX, LIST_RATE, modelId, name, rate } from './shape-value.ts';

/** A year and a day: longer windows are no limits. */
const seconds = integer(1, 366 * 86_400);
export const policyId = integer(1, INTEGER_MAX);

const rawWindow = object<PolicyWindow>({
  dimension: required('dimension', choice(...DIMENSIONS)),
  seconds: required('seconds', seconds),
  // Read as a decimal first: only an amount may have a fraction.
  limit: required('limit', amount),
});

const windowShape: Reader<PolicyWindow> = (place) => {
  const window = rawWindow(place);
  if (window.dimension === 'amount') return window;
  if (window.limit % MICRO !== 0n) report(place, `a limit of ${window.dimension} is a whole number`);
  return { ...window, limit: window.limit / MICRO };
};

/** Two windows of one length in one dimension would be one limit written twice. */
function distinct<T>(read: Reader<T>, getKey: (window: T) => string): Reader<readonly T[]> {
  return (place) => {
    const windows = list(read, POLICY_WINDOWS_MAX)(place);
    if (new Set(windows.map(getKey)).size !== windows.length)
      report(place, 'has two windows of the same length');
    return windows;
  };
}

export const policyShape: Reader<Policy> = object<Policy>({
  id: required('id', policyId),
  name: required('name', name),
  concurrency: optional<number | undefined>('concurrency', integer(0, INTEGER_MAX), undefined),
  windows: optional(
    'windows',
    distinct(windowShape, (each) => `${each.dimension} ${each.seconds}`),
    [],
  ),
  selectable: optional<boolean | undefined>('selectable', boolean, undefined),
});

const coverageWindow = object<CoverageWindow>({
  seconds: required('seconds', seconds),
  amountMicro: required('amount', amount),
});

const coveredModels: Reader<Plan['coversModels']> = (place) =>
  place.tree.kind === 'scalar' && place.tree.text === '*' ? '*' : list(modelId)(place);

interface Covers {
  readonly models: Plan['coversModels'];
  readonly windows: readonly CoverageWindow[];
}

const coversShape = object<Covers>({
  models: optional<Plan['coversModels']>('models', coveredModels, '*'),
  windows: optional(
    'windows',
    distinct(coverageWindow, (each) => String(each.seconds)),
    [],
  ),
});

const rawPlan = object({
  code: required('code', code),
  level: required('level', integer(1, 3)),
  name: optional<string | undefined>('name', name, undefined),
  priceMicro: optional('price', amount, 0n),
  days: optional('days', integer(1, 36_600), 30),
  policyId: optional<number | undefined>('policy', policyId, undefined),
  covers: optional<Covers>('covers', coversShape, { models: '*', windows: [] }),
});

export const planShape: Reader<Plan> = (place) => {
  const { covers, ...plan } = rawPlan(place);
  return {
    ...plan,
    name: plan.name ?? plan.code,
    coversModels: covers.models,
    coverageWindows: covers.windows,
  };
};

export const nodeShape: Reader<GatewayNode> = object<GatewayNode>({
  name: required('name', name),
  baseUrl: required('base_url', address),
  region: optional('region', name, 'default'),
  rateMicro: optional('rate', rate, LIST_RATE),
});

/** `YYYY-MM-DD hh:mm:ss`, and a day that exists. */
const time: Reader<string> = (place) => {
  const content = text({ lengthMax: 19 })(place);
  if (content === '') return '';
  const shape = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(content);
  const parsed = shape === null ? Number.NaN : Date.parse(`${shape[1]}T${shape[2]}Z`);
  // 30 February parses, as 2 March: only a real time prints as it was written.
  if (!Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(content.replace(' ', 'T')))
    return content;
  return report(place, 'must be a time as YYYY-MM-DD hh:mm:ss', '');
};

const rawAnnouncement = object<Announcement>({
  id: required('id', integer(1, INTEGER_MAX)),
  title: required('title', name),
  body: optional('body', prose(20_000), ''),
  startsAt: required('starts_at', time),
  endsAt: required('ends_at', time),
});

export const announcementShape: Reader<Announcement> = (place) => {
  const announcement = rawAnnouncement(place);
  const { startsAt, endsAt } = announcement;
  if (startsAt !== '' && endsAt !== '' && endsAt <= startsAt)
    report(place, 'ends_at must be after starts_at');
  return announcement;
};
