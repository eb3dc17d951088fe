import { type ReactNode, useEffect, useState } from 'react';
import { classes } from '../classes.ts';
import { CopyButton } from '../text/copy-button.tsx';
import { usePartTexts } from '../texts.ts';
import styles from './code-block.module.css';
import type { Piece } from './highlight.ts';

/** `text` is shown as it is. */
export type CodeLanguage =
  | 'bash'
  | 'go'
  | 'ini'
  | 'javascript'
  | 'json'
  | 'python'
  | 'typescript'
  | 'yaml'
  | 'text';

export interface CodeProps {
  readonly code: string;
  readonly language?: CodeLanguage | undefined;
}

const CLASSES: Readonly<Record<string, string | undefined>> = {
  keyword: styles.keyword,
  built: styles.keyword,
  attr: styles.keyword,
  literal: styles.number,
  number: styles.number,
  string: styles.string,
  comment: styles.comment,
  meta: styles.comment,
};

/** Highlighted text, without a frame. */
export function Code({ code, language = 'text' }: CodeProps) {
  const [shown, setShown] = useState<{ readonly code: string; readonly pieces: readonly Piece[] }>();
  useEffect(() => {
    if (language === 'text') return;
    let left = false;
    void import('./highlight.ts').then(({ highlight }) => {
      if (!left) setShown({ code, pieces: highlight(code, language) });
    });
    return () => {
      left = true;
    };
  }, [code, language]);
  if (shown === undefined || shown.code !== code) return <code>{code}</code>;
  return (
    <code>
      {shown.pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no identity but its place
        <span key={index} className={piece.kind === undefined ? undefined : CLASSES[piece.kind]}>
          {piece.text}
        </span>
      ))}
    </code>
  );
}

export interface CodeSample extends CodeProps {
  readonly key: string;
  readonly label: string;
}

export interface CodeBlockProps {
  /** One sample, or several with a tab for each. */
  readonly samples: readonly CodeSample[];
  /** The chosen tab, where the page keeps it. */
  readonly value?: string | undefined;
  readonly onChange?: ((key: string) => void) | undefined;
  /** Instead of tabs, in the head: the name of a file. */
  readonly title?: ReactNode;
}

export function CodeBlock({ samples, value, onChange, title }: CodeBlockProps) {
  const t = usePartTexts();
  const [own, setOwn] = useState(samples[0]?.key);
  const sample = samples.find((each) => each.key === (value ?? own)) ?? samples[0];
  if (sample === undefined) return null;
  const headed = samples.length > 1 || title !== undefined;
  const choose = (key: string) => {
    setOwn(key);
    onChange?.(key);
  };
  return (
    <div className={styles.block}>
      {headed && (
        // biome-ignore lint/a11y/useSemanticElements: a row of buttons
        <div className={styles.head} role="group" aria-label={t.language}>
          {title}
          {samples.length > 1 &&
            samples.map((each) => (
              <button
                key={each.key}
                type="button"
                aria-pressed={each === sample}
                onClick={() => choose(each.key)}
              >
                {each.label}
              </button>
            ))}
          <CopyButton text={sample.code} className={styles.copy} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll by keyboard */}
      <pre tabIndex={0}>
        <Code code={sample.code} language={sample.language} />
      </pre>
      {!headed && <CopyButton text={sample.code} className={classes(styles.float)} />}
    </div>
  );
}

/** One line to copy: an address, a command. */
export function CopyLine({ text, label }: { readonly text: string; readonly label?: string | undefined }) {
  return (
    <div className={styles.line}>
      <span>{text}</span>
      <CopyButton text={text} label={label} size="sm" />
    </div>
  );
}
