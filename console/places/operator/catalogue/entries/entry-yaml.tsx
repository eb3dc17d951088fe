import { useMemo, useRef, useState } from 'react';
import { Banner } from '../../../../parts/page/banner.tsx';
import { SkeletonLines } from '../../../../parts/page/skeleton.tsx';
import { Dim } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { type Document, entryText, type Kind, withEntryText } from '../changes/document.ts';
import { ProblemList } from '../changes/problem-list.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { useTypedFile } from '../use-catalogue.ts';
import { type EditorHandle, YamlEditor } from '../yaml-editor.tsx';

/** The file with the draft, as the server writes it. Undefined while it is read, or has problems. */
export function draftText({ catalogue, comparison }: CataloguePageProps): string | undefined {
  if (catalogue.edits.length === 0) return catalogue.baseText;
  return comparison === undefined || comparison.problems.length > 0 ? undefined : comparison.text;
}

interface EntryYamlProps {
  readonly page: CataloguePageProps;
  readonly kind: Kind;
  readonly entryKey: string;
}

/** One entry as YAML. Its problems are told with the lines of what is seen. */
export function EntryYaml({ page, kind, entryKey }: EntryYamlProps) {
  const t = useCatalogueTexts();
  const text = draftText(page);
  // The text around the entry stays what it was when the typing began.
  const [start, setStart] = useState<{ readonly text: string; readonly base: Document }>();
  const [typed, setTyped] = useState<string>();
  const handle = useRef<EditorHandle>(null);
  const made = useMemo(() => {
    if (typed === undefined || start === undefined) return undefined;
    return withEntryText(start.text, { kind, key: entryKey, typed });
  }, [typed, start, kind, entryKey]);
  const { problems, error } = useTypedFile(page.catalogue, {
    typed: made?.text,
    start: start?.base,
  });
  const before = made?.before ?? 0;
  const own = problems.map((each) => ({ ...each, line: each.line === null ? null : each.line - before }));
  const shown = typed ?? (text === undefined ? undefined : entryText(text, kind, entryKey));
  if (shown === undefined) {
    return page.comparison === undefined ? (
      <SkeletonLines />
    ) : (
      <Banner tone="warn">{t.yaml.formFirst}</Banner>
    );
  }
  return (
    <div className={css.form}>
      <YamlEditor
        label={t.yaml.of(entryKey)}
        value={shown}
        onChange={(value) => {
          if (start === undefined && text !== undefined) setStart({ text, base: page.catalogue.base });
          setTyped(value);
        }}
        wrong={new Set(own.flatMap(({ line }) => line ?? []))}
        handle={handle}
      />
      {own.length > 0 && <ProblemList problems={own} onLine={(line) => handle.current?.goTo(line)} />}
      {error !== null && <Banner tone="bad">{error.message}</Banner>}
      <p className={css.note}>
        <Dim>{t.yaml.entryHelp}</Dim>
      </p>
    </div>
  );
}
