import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from '../icons/icon.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './command-palette.module.css';

export interface Command {
  readonly key: string;
  readonly label: ReactNode;
  /** Grey, at the right end. */
  readonly detail?: ReactNode;
  readonly icon: IconName;
  readonly onSelect: () => void;
}

export interface CommandGroup {
  readonly label: string;
  readonly commands: readonly Command[];
}

export interface CommandPaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** What fits the query, best first. The shell decides what fits. */
  readonly groups: readonly CommandGroup[];
  readonly placeholder?: string | undefined;
}

export function CommandPalette(props: CommandPaletteProps) {
  const { open, onClose, placeholder } = props;
  const t = usePartTexts();
  return (
    <Dialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.scrim} />
        <Dialog.Viewport className={styles.viewport}>
          <Dialog.Popup className={styles.palette} aria-label={placeholder ?? t.search}>
            <Search {...props} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ onClose, query, onQuery, groups, placeholder }: CommandPaletteProps) {
  const id = useId();
  const t = usePartTexts();
  const all = groups.flatMap((group) => group.commands);
  const [at, setAt] = useState(0);
  const current = all[Math.min(at, all.length - 1)];
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts at the top
  useEffect(() => setAt(0), [query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked one comes into sight
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.key]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.onSelect();
  };
  const move = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') run(current);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || all.length === 0) return;
    event.preventDefault();
    setAt((Math.min(at, all.length - 1) + step + all.length) % all.length);
  };
  return (
    <>
      <label className={styles.query}>
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current === undefined ? undefined : `${id}-${current.key}`}
          aria-autocomplete="list"
          aria-label={placeholder ?? t.search}
          placeholder={placeholder ?? t.search}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={move}
        />
        <kbd>esc</kbd>
      </label>
      <div ref={list} role="listbox" id={`${id}-list`} aria-label={t.search} className={styles.list}>
        {all.length === 0 && <p className={styles.none}>{t.nothingFound}</p>}
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box
          <div key={group.label} role="group" aria-label={group.label}>
            {group.commands.length > 0 && <div className={styles.group}>{group.label}</div>}
            {group.commands.map((command) => (
              <Option
                key={command.key}
                id={`${id}-${command.key}`}
                command={command}
                marked={command === current}
                onMark={() => setAt(all.indexOf(command))}
                onRun={() => run(command)}
              />
            ))}
          </div>
        ))}
      </div>
      <div className={styles.foot}>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t.move}
        </span>
        <span>
          <kbd>↵</kbd> {t.open}
        </span>
      </div>
    </>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly marked: boolean;
  readonly onMark: () => void;
  readonly onRun: () => void;
}

function Option({ id, command, marked, onMark, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input hears the keys
    <div
      role="option"
      id={id}
      aria-selected={marked}
      className={styles.item}
      onMouseMove={onMark}
      onClick={onRun}
    >
      <Icon name={command.icon} />
      <span>{command.label}</span>
      {command.detail !== undefined && <small>{command.detail}</small>}
    </div>
  );
}
