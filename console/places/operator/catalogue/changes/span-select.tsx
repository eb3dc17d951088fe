import { Select } from '../../../../parts/form/select.tsx';
import { useCatalogueTexts } from '../texts.ts';

const SPANS = [60, 300, 600, 3_600, 18_000, 86_400, 604_800, 2_592_000];

interface SpanSelectProps {
  readonly value: number | string;
  readonly onChange: (seconds: number) => void;
}

/** The length of a window. One that the list has not is kept. */
export function SpanSelect({ value, onChange }: SpanSelectProps) {
  const t = useCatalogueTexts();
  const seconds = Number(value);
  const spans = SPANS.includes(seconds) ? SPANS : [...SPANS, seconds].toSorted((one, other) => one - other);
  return (
    <Select
      aria-label={t.policy.length}
      value={String(seconds)}
      onChange={(chosen) => onChange(Number(chosen))}
      options={spans.map((each) => ({ value: String(each), label: t.span(each) }))}
    />
  );
}
