import { useState } from 'react';
import type { ServerTimes } from '../../../app/server-time.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Input } from '../../../parts/form/input.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Popover } from '../../../parts/overlay/popover.tsx';
import { ChipButton, FilterChip } from '../../../parts/page/filter-bar.tsx';
import { clock, day, dayOfYear } from '../../../parts/text/times.ts';
import { type Language, useLanguage, useTexts } from '../../../texts/language.ts';
import css from '../calls.module.css';
import type { OnSearch } from '../search.ts';
import { type CallSearch, PERIODS, type Period, USUAL_PERIOD } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import type { Texts } from './columns.tsx';

export interface PeriodProps {
  readonly search: CallSearch;
  readonly onSearch: OnSearch;
  readonly times: ServerTimes;
}

function moment(timeMs: number, language: Language): string {
  return `${dayOfYear(timeMs, language)} ${clock(timeMs).slice(0, 5)}`;
}

/** 18 Nov 14:00–15:00, in the time of the reader. */
function rangeText({ search, times }: PeriodProps, language: Language, t: Texts): string {
  const [from, to] = [search.from, search.to].map((each) =>
    each === undefined ? Number.NaN : times.read(each),
  );
  if (from === undefined || Number.isNaN(from)) return t.before(moment(to ?? 0, language));
  if (to === undefined || Number.isNaN(to)) return t.since(moment(from, language));
  const end = day(from) === day(to) ? clock(to).slice(0, 5) : moment(to, language);
  return `${moment(from, language)}–${end}`;
}

export function PeriodChip(props: PeriodProps) {
  const { search, onSearch } = props;
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const choose = (change: CallSearch) => {
    onSearch({ period: undefined, from: undefined, to: undefined, ...change });
    setOpen(false);
  };
  if (search.from !== undefined || search.to !== undefined) {
    return (
      <FilterChip name={t.filters.period} value={rangeText(props, language, t)} onRemove={() => choose({})} />
    );
  }
  const period = search.period ?? USUAL_PERIOD;
  return (
    <Popover
      trigger={<ChipButton name={t.filters.period} value={t.periodNames[period]} />}
      label={t.filters.period}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <div className={css.choices}>
        {(Object.keys(PERIODS) as Period[]).map((each) => (
          <button
            key={each}
            type="button"
            className={css.choice}
            aria-pressed={each === period}
            onClick={() => choose(each === USUAL_PERIOD ? {} : { period: each })}
          >
            {t.periodNames[each]}
            {each === period && <Icon name="check" size={14} />}
          </button>
        ))}
      </div>
      <OwnRange {...props} onChoose={choose} />
    </Popover>
  );
}

function OwnRange({ times, onChoose }: PeriodProps & { readonly onChoose: (change: CallSearch) => void }) {
  const t = useTexts({ en, zh });
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const isRight = !Number.isNaN(fromMs) && (to === '' || toMs > fromMs);
  const apply = () => onChoose({ from: times.write(fromMs), ...(to !== '' && { to: times.write(toMs) }) });
  return (
    <form
      className={css.range}
      onSubmit={(event) => {
        event.preventDefault();
        if (isRight) apply();
      }}
    >
      <Field label={t.from}>
        <Input type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} />
      </Field>
      <Field label={t.to}>
        <Input type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
      </Field>
      <Button size="sm" type="submit" disabled={!isRight}>
        {t.apply}
      </Button>
    </form>
  );
}
