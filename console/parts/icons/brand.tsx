import styles from './icon.module.css';

/** The mark of Tollgate. The name stands beside it as text. */
export function Brand({ size = 20 }: { readonly size?: number | undefined }) {
  return (
    <svg
      aria-hidden="true"
      className={styles.brand}
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
    >
      <path d="M5 17.5V8.5" strokeWidth="3.2" />
      <path d="M5 6.6 17.4 3" strokeWidth="2.4" />
      <path d="M9 17.2h8" strokeWidth="2.4" opacity=".38" />
    </svg>
  );
}
