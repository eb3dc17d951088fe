import { Button, LinkButton } from '../../../../parts/button.tsx';
import { Segmented } from '../../../../parts/form/segmented.tsx';
import { Menu } from '../../../../parts/overlay/menu.tsx';
import { Empty } from '../../../../parts/page/empty.tsx';
import { PageHead } from '../../../../parts/page/layout.tsx';
import { Tabs } from '../../../../parts/page/tabs.tsx';
import { Pill } from '../../../../parts/text/status.tsx';
import { Dim } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { type Entry, findEntry } from '../changes/document.ts';
import { ChangesButton } from '../entries/entry-list.tsx';
import { EntryYaml } from '../entries/entry-yaml.tsx';
import type { FormProps } from '../entries/fields.tsx';
import { isEnabled, routesOf } from '../models.tsx';
import { TABS } from '../search.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { problemsOf } from '../use-catalogue.ts';
import { Admission } from './admission.tsx';
import { Features } from './features.tsx';
import { Prices } from './prices.tsx';
import { Routes } from './routes.tsx';
import { Traffic } from './traffic.tsx';

interface ModelPageProps {
  readonly page: CataloguePageProps;
  readonly modelId: string;
}

/** One model: how it is served, sold and admitted. */
export function ModelPage({ page, modelId }: ModelPageProps) {
  const t = useCatalogueTexts();
  const { catalogue, search, onSearch } = page;
  const entry = findEntry(catalogue.document, 'models', modelId);
  const before = findEntry(catalogue.base, 'models', modelId);
  if (entry === undefined) return <NoModel {...{ page, modelId, before }} />;
  const form: FormProps = {
    ...{ page, entry, before },
    errors: problemsOf(catalogue, page.comparison?.problems, { kind: 'models', key: modelId }),
    onChange: (next) => catalogue.put('models', modelId, next),
  };
  return (
    <>
      <Head {...{ page, modelId, entry }} />
      {search.view === 'yaml' ? (
        <EntryYaml page={page} kind="models" entryKey={modelId} />
      ) : (
        <Tabs
          label={modelId}
          value={search.tab ?? 'routes'}
          onChange={(tab) =>
            onSearch({ tab: tab === 'routes' ? undefined : tab, edit: undefined, add: undefined })
          }
          tabs={TABS.map((value) => ({
            value,
            label:
              value === 'routes' ? (
                <>
                  {t.tabs.routes} <Dim>{routesOf(entry).length}</Dim>
                </>
              ) : (
                t.tabs[value]
              ),
          }))}
        >
          <div className={css.tab}>
            <TabContent form={form} />
          </div>
        </Tabs>
      )}
    </>
  );
}

function TabContent({ form }: { readonly form: FormProps }) {
  const { tab = 'routes' } = form.page.search;
  if (tab === 'prices') return <Prices form={form} />;
  if (tab === 'admission') return <Admission form={form} />;
  if (tab === 'features') return <Features form={form} />;
  return tab === 'traffic' ? <Traffic modelId={String(form.entry.model_id)} /> : <Routes form={form} />;
}

function Head({ page, modelId, entry }: ModelPageProps & { readonly entry: Entry }) {
  const t = useCatalogueTexts();
  const { catalogue, search, onSearch } = page;
  const listed = entry.client_visible === false ? t.model.hidden : t.model.listed;
  const remove = { key: 'remove', label: t.model.remove, icon: 'x', danger: true } as const;
  return (
    <PageHead
      title={modelId}
      lead={
        <>
          <Pill tone={isEnabled(entry) ? 'ok' : 'plain'}>{isEnabled(entry) ? t.enabled : t.disabled}</Pill>{' '}
          {t.model.lead(String(entry.name ?? modelId), listed)}
        </>
      }
    >
      <ChangesButton page={page} />
      <Segmented
        {...{ label: t.view, value: search.view ?? 'form' }}
        onChange={(view) => onSearch({ view: view === 'yaml' ? 'yaml' : undefined })}
        options={[
          { value: 'form', label: t.form },
          { value: 'yaml', label: 'YAML' },
        ]}
      />
      <Button
        icon="plus"
        onClick={() =>
          onSearch({ tab: undefined, view: undefined, add: 'yes', edit: undefined, changes: undefined })
        }
      >
        {t.route.one}
      </Button>
      <Menu
        align="end"
        trigger={<Button variant="ghost" icon="more" aria-label={t.more} />}
        groups={[[{ ...remove, onSelect: () => catalogue.put('models', modelId, null) }]]}
      />
    </PageHead>
  );
}

function NoModel({ page, modelId, before }: ModelPageProps & { readonly before: Entry | undefined }) {
  const t = useCatalogueTexts();
  const back = (
    <LinkButton to="/operator/catalogue/$section" params={{ section: 'models' }}>
      {t.sections.models.title}
    </LinkButton>
  );
  const undo = (
    <Button icon="undo" onClick={() => page.catalogue.put('models', modelId, before ?? null)}>
      {t.undo}
    </Button>
  );
  return (
    <>
      <PageHead title={modelId}>
        <ChangesButton page={page} />
      </PageHead>
      <Empty
        title={before === undefined ? t.notThere : t.removedTitle}
        action={before === undefined ? back : undo}
      >
        {before === undefined ? t.notThereText : t.removedText}
      </Empty>
    </>
  );
}
