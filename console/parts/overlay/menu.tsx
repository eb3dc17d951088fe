import { Menu as Base } from '@base-ui/react/menu';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Icon, type IconName } from '../icons/icon.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  readonly key: string;
  readonly label: ReactNode;
  readonly icon?: IconName | undefined;
  /** Shown at the right end. The place itself listens for it. */
  readonly shortcut?: string | undefined;
  readonly danger?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly onSelect?: (() => void) | undefined;
  /** Instead of `onSelect`: a place of the console. */
  readonly link?: LinkProps | undefined;
  /** With it the item is chosen or not: a choice of columns, of filter values. */
  readonly checked?: boolean | undefined;
}

export interface MenuProps {
  /** The button that opens it: `<Button …/>`, `<AddFilter/>`, `<ChipButton …/>`. */
  readonly trigger: ReactElement;
  /** Groups are divided by a line. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly align?: 'start' | 'end' | undefined;
  readonly side?: 'bottom' | 'top' | undefined;
  /** Open from the start: somebody clicked before its program was there. */
  readonly defaultOpen?: boolean | undefined;
}

function Content({ item }: { readonly item: MenuItem }) {
  return (
    <>
      {item.icon !== undefined && <Icon name={item.icon} />}
      {item.label}
      {item.shortcut !== undefined && <kbd>{item.shortcut}</kbd>}
    </>
  );
}

function Item({ item }: { readonly item: MenuItem }) {
  const look = classes(styles.item, item.danger && styles.danger);
  if (item.checked !== undefined) {
    return (
      <Base.CheckboxItem
        className={look}
        checked={item.checked}
        disabled={item.disabled}
        onCheckedChange={() => item.onSelect?.()}
      >
        <span className={styles.mark}>
          <Base.CheckboxItemIndicator>
            <Icon name="check" size={14} />
          </Base.CheckboxItemIndicator>
        </span>
        <Content item={item} />
      </Base.CheckboxItem>
    );
  }
  return (
    <Base.Item
      className={look}
      disabled={item.disabled}
      onClick={item.onSelect}
      render={item.link === undefined ? undefined : <Link {...item.link} />}
    >
      <Content item={item} />
    </Base.Item>
  );
}

export function Menu({ trigger, groups, align = 'start', side = 'bottom', defaultOpen = false }: MenuProps) {
  return (
    <Base.Root modal={false} defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.place} align={align} side={side} sideOffset={4}>
          <Base.Popup className={styles.menu}>
            {groups.map((group, index) => (
              <Base.Group key={group[0]?.key ?? index} className={styles.group}>
                {group.map((item) => (
                  <Item key={item.key} item={item} />
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
