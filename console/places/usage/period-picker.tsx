import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './period.module.css';
import { addDays, lengthOf, type PeriodSearch, type Preset, type Span, USUAL_PERIOD } from './period.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export type OnPeriod = (change: PeriodSearch) => void;

export interface PeriodPickerProps {
  readonly offered: readonly Preset[];
  readonly search: PeriodSearch;
  readonly span: Span;
  readonly onChange: OnPeriod;
}

export function PeriodPicker({ offered, search, span, onChange }: PeriodPickerProps) {
  const t = useTexts({ en, zh });
  const choose = (period: Preset | 'custom') => {
    if (period !== 'custom') onChange({ period, from: undefined, to: undefined });
    else if (search.period !== 'custom') onChange({ period, from: span.firstDay, to: span.lastDay });
  };
  return (
    <Segmented
      label={t.period}
      value={search.period ?? USUAL_PERIOD}
      onChange={choose}
      options={[...offered, 'custom' as const].map((value) => ({ value, label: t.presets[value] }))}
    />
  );
}

export interface CustomRangeProps {
  readonly span: Span;
  readonly today: string;
  readonly onChange: OnPeriod;
}

/** Two days, both included. It stands below the head of the page while the period is a custom one. */
export function CustomRange({ span, today, onChange }: CustomRangeProps) {
  const t = useTexts({ en, zh });
  const [from, setFrom] = useState(span.firstDay);
  const [to, setTo] = useState(span.lastDay);
  const problem = from === '' || to === '' ? '' : from > to ? t.range.backwards : undefined;
  const isNew = from !== span.firstDay || to !== span.lastDay;
  const tooLong = problem === undefined && from < addDays(to, -365) ? t.range.tooLong : undefined;
  const error = problem ?? tooLong;
  return (
    <form
      className={css.range}
      onSubmit={(event) => {
        event.preventDefault();
        if (error === undefined) onChange({ period: 'custom', from, to });
      }}
    >
      <label>
        <span>{t.range.from}</span>
        <input type="date" max={today} value={from} onChange={(event) => setFrom(event.target.value)} />
      </label>
      <label>
        <span>{t.range.to}</span>
        <input type="date" max={today} value={to} onChange={(event) => setTo(event.target.value)} />
      </label>
      <Button type="submit" size="sm" disabled={error !== undefined || !isNew}>
        {t.range.show}
      </Button>
      <span className={css.note} role="status">
        {error === undefined || error === '' ? t.range.days(lengthOf(span)) : error}
      </span>
    </form>
  );
}
