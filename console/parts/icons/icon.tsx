import { classes } from '../classes.ts';
import styles from './icon.module.css';
import { ICONS, type IconName } from './paths.ts';

export type { IconName } from './paths.ts';

export interface IconProps {
  readonly name: IconName;
  readonly size?: 12 | 14 | 16 | 20 | undefined;
  /** Only where no text beside it says the same. */
  readonly label?: string | undefined;
  readonly className?: string | undefined;
}

export function Icon({ name, size = 16, label, className }: IconProps) {
  const told = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: hidden, or named by aria-label
    <svg
      {...told}
      className={classes(styles.icon, className)}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={ICONS[name]} />
    </svg>
  );
}
