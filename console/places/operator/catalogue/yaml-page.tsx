import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { useStore } from '../../../app/store.ts';
import { Button } from '../../../parts/button.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Banner } from '../../../parts/page/banner.tsx';
import { PageHead } from '../../../parts/page/layout.tsx';
import { Status } from '../../../parts/text/status.tsx';
import css from './catalogue.module.css';
import type { Document } from './changes/document.ts';
import { typedFile } from './changes/draft.ts';
import { ProblemList } from './changes/problem-list.tsx';
import { ChangesButton } from './entries/entry-list.tsx';
import { draftText } from './entries/entry-yaml.tsx';
import { useCatalogueTexts } from './texts.ts';
import type { CataloguePageProps } from './types.ts';
import { useTypedFile } from './use-catalogue.ts';
import { type EditorHandle, YamlEditor } from './yaml-editor.tsx';

type Extent = 'whole' | 'part';

/** The whole catalogue as a file: edited, imported, exported. */
export function YamlPage({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const typed = useStore(typedFile);
  const [imported, setImported] = useState<{ readonly name: string; readonly extent: Extent }>();
  const [start, setStart] = useState<Document>();
  const handle = useRef<EditorHandle>(null);
  const kept = useRef(page.catalogue.baseText);
  const known = draftText(page);
  if (known !== undefined) kept.current = known;
  const { problems, error, isChecked } = useTypedFile(page.catalogue, {
    typed,
    extent: imported?.extent,
    start: imported === undefined ? start : undefined,
  });
  useEffect(() => () => typedFile.write(undefined), []);
  const isImported = imported !== undefined && typed !== undefined;
  const isGood = typed !== undefined && problems.length === 0 && isChecked;
  const load = (name: string, text: string) => {
    setImported({ name, extent: 'part' });
    typedFile.write(text);
  };
  return (
    <>
      <PageHead title={t.sections.yaml.title} lead={t.sections.yaml.lead}>
        <ChangesButton page={page} />
        <ImportButton onLoad={load} />
      </PageHead>
      {isImported && (
        <Banner
          tone="info"
          onDismiss={() => {
            setImported(undefined);
            typedFile.write(undefined);
          }}
          action={
            <Segmented
              {...{ label: t.yaml.extent, size: 'sm', value: imported.extent }}
              onChange={(extent) => setImported({ ...imported, extent })}
              options={[
                { value: 'part', label: t.yaml.part },
                { value: 'whole', label: t.yaml.whole },
              ]}
            />
          }
        >
          {t.yaml.imported(imported.name)} {t.yaml.extentHelp[imported.extent]}
        </Banner>
      )}
      {problems.length > 0 && (
        <section className={css.problemBox} aria-label={t.problems.title(problems.length)}>
          <h2>{t.problems.title(problems.length)}</h2>
          <ProblemList problems={problems} onLine={(line) => handle.current?.goTo(line)} />
        </section>
      )}
      {error !== null && <Banner tone="bad">{error.message}</Banner>}
      <YamlEditor
        label={t.yaml.file}
        value={typed ?? kept.current}
        onChange={(value) => {
          if (typed === undefined) setStart(page.catalogue.base);
          typedFile.write(value);
        }}
        wrong={new Set(problems.flatMap(({ line }) => line ?? []))}
        handle={handle}
      />
      <p className={css.note}>
        {isGood ? <Status tone="ok">{t.yaml.good}</Status> : t.yaml.help(page.catalogue.version)}
      </p>
    </>
  );
}

function ImportButton({ onLoad }: { readonly onLoad: (name: string, text: string) => void }) {
  const t = useCatalogueTexts();
  const input = useRef<HTMLInputElement>(null);
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const { target } = event;
    const [file] = target.files ?? [];
    if (file === undefined) return;
    const text = await file.text();
    // The same file may be chosen again after it was mended.
    target.value = '';
    onLoad(file.name, text);
  };
  return (
    <>
      <input
        ref={input}
        {...{ type: 'file', accept: '.yaml,.yml,.json', hidden: true, 'aria-label': t.yaml.import }}
        onChange={(event) => void read(event)}
      />
      <Button variant="primary" icon="clip" onClick={() => input.current?.click()}>
        {t.yaml.import}
      </Button>
    </>
  );
}
