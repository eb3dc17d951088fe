import { Hidden } from '../text/text.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './diff.module.css';

export interface DiffLine {
  /** `head` names the place of what follows. */
  readonly kind: 'same' | 'added' | 'removed' | 'head';
  readonly number?: number | undefined;
  readonly text: string;
  /** The stretch that differs: from, to. */
  readonly mark?: readonly [number, number] | undefined;
}

const SIGNS = { same: '', head: '', added: '+', removed: '−' };

export function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  const t = usePartTexts();
  return (
    <div className={styles.diff}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its place
        <div key={index} className={styles[line.kind]}>
          <span>{line.number}</span>
          <span aria-hidden="true">{SIGNS[line.kind]}</span>
          <span>
            {(line.kind === 'added' || line.kind === 'removed') && <Hidden>{t[line.kind]}: </Hidden>}
            <Marked line={line} />
          </span>
        </div>
      ))}
    </div>
  );
}

function Marked({ line: { text, mark } }: { readonly line: DiffLine }) {
  if (mark === undefined) return text;
  return (
    <>
      {text.slice(0, mark[0])}
      <mark>{text.slice(mark[0], mark[1])}</mark>
      {text.slice(mark[1])}
    </>
  );
}
