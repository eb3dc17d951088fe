import { useEffect, useRef } from 'react';
import { useLanguage } from '../../texts/language.ts';
import { countDown } from './format.ts';
import { useNow } from './now.ts';
import { exactTime, type Instant, listTime, relativeTime, toDate } from './times.ts';

export interface TimeProps {
  readonly at: Instant;
  /** `list`: the clock for today. */
  readonly look?: 'relative' | 'list' | 'exact' | undefined;
}

const FRESH_MS = 90_000;

/** “2 min ago”, with the exact time on hover. It stays true by itself. */
export function Time({ at, look = 'relative' }: TimeProps) {
  const date = toDate(at);
  const language = useLanguage();
  const fresh = Math.abs(date.getTime() - Date.now()) < FRESH_MS;
  const now = useNow(fresh ? 1_000 : 30_000);
  const exact = exactTime(date);
  const text = { relative: relativeTime, list: listTime, exact: () => exact }[look](date, now, language);
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {text}
    </time>
  );
}

export interface CountDownProps {
  readonly until: Instant;
  /** Called once when nothing is left. */
  readonly onEnd?: (() => void) | undefined;
}

/** What is left, each second: 0:38, 3 h 04. */
export function CountDown({ until, onEnd }: CountDownProps) {
  const date = toDate(until);
  const language = useLanguage();
  const left = date.getTime() - useNow();
  const told = useRef<number>(undefined);
  useEffect(() => {
    if (left > 0 || told.current === date.getTime()) return;
    told.current = date.getTime();
    onEnd?.();
  }, [left, date.getTime, onEnd]);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)}>
      {countDown(left, language)}
    </time>
  );
}
