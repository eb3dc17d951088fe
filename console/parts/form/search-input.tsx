import { useEffect, useRef } from 'react';
import { Icon } from '../icons/icon.tsx';
import { usePartTexts } from '../texts.ts';
import { Affix } from './input.tsx';
import styles from './search-input.module.css';

export interface SearchInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly label?: string | undefined;
  /** `/` anywhere on the page comes here. One for each page. */
  readonly shortcut?: boolean | undefined;
  /** Enter. */
  readonly onSubmit?: ((value: string) => void) | undefined;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function SearchInput(props: SearchInputProps) {
  const { value, onChange, placeholder, label, shortcut = true, onSubmit } = props;
  const input = useRef<HTMLInputElement>(null);
  const t = usePartTexts();
  useEffect(() => {
    if (!shortcut) return;
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, [shortcut]);
  return (
    <Affix
      ref={input}
      className={styles.search}
      prefix={<Icon name="search" size={14} />}
      suffix={shortcut && value === '' ? <kbd>/</kbd> : undefined}
      type="text"
      inputMode="search"
      autoComplete="off"
      spellCheck={false}
      aria-label={label ?? t.search}
      aria-keyshortcuts={shortcut ? '/' : undefined}
      placeholder={placeholder ?? t.search}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onSubmit?.(value);
        if (event.key !== 'Escape' || value === '') return;
        event.stopPropagation();
        onChange('');
      }}
    />
  );
}
