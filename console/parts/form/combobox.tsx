import { Combobox as Base } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import { Icon } from '../icons/icon.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './combobox.module.css';
import { useFieldLabel, useFieldProps } from './field.tsx';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** Grey, at the right end. */
  readonly detail?: ReactNode;
  readonly disabled?: boolean | undefined;
}

export interface ComboboxProps {
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
  readonly options: readonly ComboboxOption[];
  readonly placeholder?: string | undefined;
  /** Needed outside a Field. */
  readonly label?: string | undefined;
  readonly id?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** A choice from a long list, by typing a part of the name. */
export function Combobox({ value, onChange, options, placeholder, label, id, disabled }: ComboboxProps) {
  const field = useFieldProps({ id });
  const labelledBy = useFieldLabel();
  const t = usePartTexts();
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Base.Root
      items={options}
      value={chosen}
      onValueChange={(option) => option !== null && onChange(option.value)}
      isItemEqualToValue={(one, other) => one.value === other.value}
      autoHighlight
      disabled={disabled}
    >
      <Base.InputGroup className={styles.group}>
        <Base.Input
          {...field}
          className={styles.input}
          placeholder={placeholder}
          aria-label={label}
          aria-labelledby={label === undefined ? labelledBy : undefined}
        />
        <Base.Trigger className={styles.trigger} aria-label={t.open} tabIndex={-1}>
          <Icon name="down" size={14} />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner className={styles.place} sideOffset={4}>
          <Base.Popup className={styles.popup}>
            <Base.Empty className={styles.empty}>{t.nothingFound}</Base.Empty>
            <Base.List className={styles.list}>
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  disabled={option.disabled}
                  className={styles.item}
                >
                  <span className={styles.mark}>
                    <Base.ItemIndicator>
                      <Icon name="check" size={14} />
                    </Base.ItemIndicator>
                  </span>
                  <span className={styles.label}>{option.label}</span>
                  {option.detail !== undefined && <small>{option.detail}</small>}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
