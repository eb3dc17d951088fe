import { keepPreviousData } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type Data, useApi } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useLive } from '../../app/live.ts';
import { count, percentDelta } from '../../parts/text/format.ts';
import type { Span, Step } from './period.ts';
import { filtersOf, type Grouping, type UsageFilters, withoutUndefined } from './search.ts';

export type Usage = Data<'getUsageOverTimeByGroup'>;
export type Sums = Usage['total'];
export type UsageGroup = Usage['groups'][number];

export interface UsageWanted {
  readonly span: Span;
  readonly by: Grouping;
  readonly step?: Step | undefined;
  readonly filters?: UsageFilters | undefined;
  readonly groups?: number | undefined;
}

export function usageQuery({ span, by, step = span.steps[0], filters = {}, groups }: UsageWanted) {
  const { from, to } = span;
  return { from, ...withoutUndefined({ to, groups }), granularity: step, by, ...filtersOf(filters) };
}

/** Sums by group and over time, and of the period before. What was shown stays until they come. */
export function useUsage(wanted: UsageWanted) {
  const query = { ...usageQuery(wanted), compare: 'before' as const };
  return useApi('getUsageOverTimeByGroup', { query }, { placeholderData: keepPreviousData });
}

/** Calls may arrive many times a second; sums are read again at most so often. */
const REFRESH_MS = 2_000;
const REFRESHED = ['getUsageOverTimeByGroup', 'getUsageByPayer'];

/** Reads the sums again when a call has arrived. */
export function useUsageRefresh(): void {
  const timer = useRef<number>(undefined);
  const readAt = useRef(0);
  const refresh = useCallback(() => {
    if (timer.current !== undefined) return;
    const wait = Math.max(0, readAt.current + REFRESH_MS - Date.now());
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      readAt.current = Date.now();
      for (const name of REFRESHED) void queries.invalidateQueries({ queryKey: [name] });
    }, wait);
  }, []);
  useLive('call', refresh);
  useLive('ready', refresh);
  useEffect(() => () => window.clearTimeout(timer.current), []);
}

export const OTHER_COLOUR = 8;

/** The colour of a group: by size; all others are grey. */
export function colourOf(group: string | null, place: number): number {
  return group === null ? OTHER_COLOUR : Math.min(place + 1, OTHER_COLOUR);
}

/** How much a figure changed, as a ratio. Undefined where there was nothing before. */
export function changeOf(
  now: string | number | null,
  before: string | number | null | undefined,
): number | undefined {
  if (now === null || before === null || before === undefined || Number(before) === 0) return undefined;
  return Number(now) / Number(before) - 1;
}

/** From here on a percentage says less than how many times it is: ×12. */
const TIMES_FROM = 9.995;

/** A change in words: −8.2 %, or ×12 where it is many times as much. */
export function changeText(change: number): string {
  return change < TIMES_FROM ? percentDelta(change) : `×${count(Math.round(change + 1))}`;
}

export function shareOf(part: string | number, whole: string | number): number {
  return Number(whole) === 0 ? 0 : Number(part) / Number(whole);
}

export function tokensOf({ input_tokens: input, output_tokens: output }: Sums): number {
  return input + output;
}

export function failedShare({ failed, calls }: Sums): number {
  return calls === 0 ? 0 : failed / calls;
}

/** The calls of one point: its times, for the list of calls. The newest point goes on. */
export function callsOfPoint(usage: Usage, at: number): { readonly from: string; readonly to?: string } {
  const start = usage.times[at] ?? usage.from;
  const next = usage.times[at + 1];
  return { from: start < usage.from ? usage.from : start, ...(next !== undefined && { to: next }) };
}

/** The filter of the list of calls that a group stands for. None for all others together. */
export function filterOfGroup(by: Grouping, group: string | null): UsageFilters {
  if (group === null) return {};
  if (by === 'key') return { key_id: Number(group) };
  return { [by]: group };
}
