import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Menu } from '../../../parts/overlay/menu.tsx';
import { useTexts } from '../../../texts/language.ts';
import type { Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import { ALWAYS, type ColumnKey, columnKeys, HIDDEN_AT_FIRST } from './columns.tsx';

export interface ColumnMenuProps {
  readonly of: Of;
  readonly hidden: readonly ColumnKey[];
  readonly onToggle: (key: ColumnKey) => void;
}

export function ColumnMenu({ of, hidden, onToggle }: ColumnMenuProps) {
  const t = useTexts({ en, zh });
  const items = columnKeys(of)
    .filter((key) => !ALWAYS.includes(key))
    .map((key) => ({
      ...{ key, label: t.columns[key], checked: !hidden.includes(key) },
      onSelect: () => onToggle(key),
    }));
  return (
    <Menu
      align="end"
      trigger={<Button variant="ghost" size="sm" icon="columns" aria-label={t.chooseColumns} />}
      groups={[items]}
    />
  );
}

const KEPT = { own: 'tollgate.calls.hidden', all: 'tollgate.operator.calls.hidden' };

function readHidden(of: Of): readonly ColumnKey[] {
  const kept = localStorage.getItem(KEPT[of]);
  const known: readonly string[] = columnKeys('all');
  if (kept === null) return HIDDEN_AT_FIRST[of];
  return kept.split(',').filter((key) => known.includes(key)) as ColumnKey[];
}

/** The columns that the reader does not want, kept in this browser. */
export function useHiddenColumns(of: Of): ColumnMenuProps {
  const [hidden, setHidden] = useState(() => readHidden(of));
  const onToggle = (key: ColumnKey) => {
    const next = hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key];
    localStorage.setItem(KEPT[of], next.join(','));
    setHidden(next);
  };
  return { of, hidden, onToggle };
}
