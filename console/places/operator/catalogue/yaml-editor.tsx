import { type RefObject, useImperativeHandle, useRef } from 'react';
import { classes } from '../../../parts/classes.ts';
import css from './catalogue.module.css';

export interface EditorHandle {
  readonly goTo: (line: number) => void;
}

interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Lines with a problem. */
  readonly wrong: ReadonlySet<number>;
  readonly handle?: RefObject<EditorHandle | null> | undefined;
}

const LINES_MIN = 12;

/** Text with the numbers of its lines. It is as long as its text, so that the page scrolls. */
export function YamlEditor({ label, value, onChange, wrong, handle }: YamlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLDivElement>(null);
  const lines = value.split('\n');
  useImperativeHandle(handle, () => ({
    goTo: (line) => {
      const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
      area.current?.focus({ preventScroll: true });
      area.current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
      numbers.current?.children[line - 1]?.scrollIntoView({ block: 'center' });
    },
  }));
  return (
    <div className={css.editor}>
      <div ref={numbers} className={css.numbers} aria-hidden="true">
        {lines.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <span key={at} className={classes(wrong.has(at + 1) && css.wrongLine)}>
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        ref={area}
        {...{ 'aria-label': label, value, wrap: 'off', spellCheck: false, autoCapitalize: 'off' }}
        aria-invalid={wrong.size > 0 ? true : undefined}
        rows={Math.max(LINES_MIN, lines.length)}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
