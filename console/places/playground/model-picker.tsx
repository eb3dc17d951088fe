import { type KeyboardEvent, useState } from 'react';
import { Input } from '../../parts/form/input.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { Popover } from '../../parts/overlay/popover.tsx';
import { VendorMark } from '../../parts/text/status.tsx';
import { Hidden } from '../../parts/text/text.tsx';
import type { OfferedModel } from './models.ts';
import css from './picker.module.css';
import { usePlaygroundTexts } from './texts.ts';

export interface ModelPickerProps {
  readonly models: readonly OfferedModel[];
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
  /** Looks like a field instead of a heading. */
  readonly boxed?: boolean | undefined;
}

/** A choice from all models on offer, by typing a part of the name. Locked ones say why. */
export function ModelPicker({ models, value, onChange, boxed }: ModelPickerProps) {
  const t = usePlaygroundTexts().picker;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const chosen = models.find(({ id }) => id === value);
  const wanted = typed.trim().toLowerCase();
  const found = models.filter(({ id, name, vendor }) =>
    `${id} ${name} ${vendor}`.toLowerCase().includes(wanted),
  );
  const choose = (id: string): void => {
    onChange(id);
    setOpen(false);
    setTyped('');
  };
  const trigger = (
    <button type="button" className={boxed === true ? css.boxed : css.pick}>
      <Hidden>{t.chosen}</Hidden>
      <VendorMark name={chosen?.vendor ?? '?'} />
      <b>{value}</b>
      <Icon name="down" size={14} />
    </button>
  );
  return (
    <Popover trigger={trigger} label={t.model} open={isOpen} onOpenChange={setOpen}>
      <search className={css.picker} onKeyDown={walk}>
        <Input
          aria-label={t.search}
          placeholder={t.search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            const first = found.find(({ refusal }) => refusal === null);
            if (event.key === 'Enter' && first !== undefined) choose(first.id);
          }}
        />
        <ul className={css.list}>
          {found.map((model) => (
            <li key={model.id}>
              <button
                type="button"
                className={css.option}
                aria-pressed={model.id === value}
                disabled={model.refusal !== null}
                onClick={() => choose(model.id)}
              >
                <VendorMark name={model.vendor} />
                <span className={css.name}>
                  {model.id}
                  <small>{model.refusal ?? model.name}</small>
                </span>
                {model.refusal !== null && <Icon name="lock" size={14} />}
                {model.id === value && <Icon name="check" size={14} />}
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className={css.none}>{t.none}</p>}
      </search>
    </Popover>
  );
}

/** Arrow keys go from one model to the next. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button:not(:disabled)')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[(at + step + all.length) % all.length]?.focus();
}
