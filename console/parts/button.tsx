import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons/icon.tsx';

interface Look {
  /** `solid` is the danger button of a dialog that destroys. */
  readonly variant?: 'primary' | 'secondary' | 'ghost' | 'danger' | 'solid' | undefined;
  readonly size?: 'xs' | 'sm' | 'md' | 'lg' | undefined;
  readonly icon?: IconName | undefined;
  /** Takes the whole width. */
  readonly block?: boolean | undefined;
  readonly children?: ReactNode;
}

export interface ButtonProps extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** What the button started is under way: it keeps its place and takes no second click. */
  readonly pending?: boolean | undefined;
  readonly ref?: Ref<HTMLButtonElement> | undefined;
}

interface Shape extends Look {
  readonly className?: string | undefined;
}

function classOf({ variant = 'secondary', size = 'md', icon, block, children, className }: Shape): string {
  const bare = icon !== undefined && children === undefined && styles.bare;
  return classes(styles.button, styles[variant], styles[size], bare, block && styles.block, className);
}

function Content({ icon, size, children }: Look) {
  return (
    <>
      {icon !== undefined && <Icon name={icon} size={size === 'xs' ? 14 : 16} />}
      {children}
    </>
  );
}

/** An icon alone needs `aria-label`. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, block, children, pending, className, type, onClick, ...rest } = props;
  return (
    <button
      {...rest}
      type={type ?? 'button'}
      className={classOf({ variant, size, icon, block, children, className })}
      aria-busy={pending === true ? true : undefined}
      aria-disabled={pending === true ? true : rest['aria-disabled']}
      onClick={pending === true ? (event) => event.preventDefault() : onClick}
    >
      {pending === true && <span className={styles.pending} aria-hidden="true" />}
      <Content icon={pending === true ? undefined : icon} size={size}>
        {children}
      </Content>
    </button>
  );
}

export interface AnchorButtonProps extends Look, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'children'> {
  readonly ref?: Ref<HTMLAnchorElement> | undefined;
}

/** A link out of the console or to a file, by `href`, that looks like a button. */
export function AnchorButton({
  variant,
  size,
  icon,
  block,
  children,
  className,
  ...rest
}: AnchorButtonProps) {
  return (
    <a {...rest} className={classOf({ variant, size, icon, block, children, className })}>
      <Content icon={icon} size={size}>
        {children}
      </Content>
    </a>
  );
}

/** A link to a place of the console (`to`, `params`, `search`) that looks like a button. */
export const LinkButton = createLink(AnchorButton);
