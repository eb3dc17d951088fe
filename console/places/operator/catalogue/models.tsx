import { useApi } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import type { Column } from '../../../parts/table/table.tsx';
import { count, money, NOTHING, pricePerMillion } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { Dim, Mono, Row } from '../../../parts/text/text.tsx';
import type { Entry } from './changes/document.ts';
import { EntryList, type EntryRow, StatePill } from './entries/entry-list.tsx';
import { useImportTexts } from './import/texts.ts';
import { type Texts, useCatalogueTexts } from './texts.ts';
import type { CataloguePageProps } from './types.ts';

export function pricesOf(model: Entry): Readonly<Record<string, string>> {
  return (model.prices ?? {}) as Readonly<Record<string, string>>;
}

export function routesOf(model: Entry): readonly Entry[] {
  return (model.routes ?? []) as readonly Entry[];
}

export function isEnabled({ status = 'enabled' }: Entry): boolean {
  return status === 'enabled';
}

function tokenPrice(model: Entry, name: 'input' | 'output'): string {
  const price = pricesOf(model)[name];
  return price === undefined ? NOTHING : pricePerMillion(price);
}

function imagePrice(model: Entry): string {
  const { image } = pricesOf(model);
  return image === undefined ? NOTHING : money(image);
}

export function restrictionText(t: Texts, model: Entry): string {
  const { kind = 'none', level = 0 } = (model.restriction ?? {}) as { kind?: string; level?: number };
  if (kind === 'verification') return t.admission.verification(level);
  return kind === 'plan' ? t.admission.plan(level) : t.admission.everybody;
}

export function Models({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const importTexts = useImportTexts();
  const traffic = useApi('getOverviewByRoute', {}).data?.data.routes;
  const callsOf = (model: string) =>
    traffic?.reduce((sum, { model_id, calls }) => sum + (model_id === model ? calls : 0), 0);
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'model', header: t.entity('model'), main: true },
      cell: ({ key, entry, state }) => (
        <Row>
          <span>
            {String(entry.name ?? key)} <StatePill state={state} />
            <br />
            <small>
              <Mono>{key}</Mono>
            </small>
          </span>
        </Row>
      ),
    },
    {
      ...{ key: 'input', header: t.priceName('input'), align: 'right' },
      cell: ({ entry }) => tokenPrice(entry, 'input'),
    },
    {
      ...{ key: 'output', header: t.priceName('output'), align: 'right', priority: 1 },
      cell: ({ entry }) => tokenPrice(entry, 'output'),
    },
    {
      ...{ key: 'image', header: t.priceName('image'), align: 'right', priority: 3 },
      cell: ({ entry }) => imagePrice(entry),
    },
    {
      ...{ key: 'routes', header: t.tabs.routes, align: 'right', priority: 2 },
      cell: ({ entry }) => t.ofRoutes(routesOf(entry).filter(isEnabled).length, routesOf(entry).length),
    },
    {
      ...{ key: 'calls', header: t.lastHour, align: 'right', priority: 3 },
      cell: ({ key }) => count(callsOf(key)),
    },
    {
      ...{ key: 'who', header: t.tabs.admission, tone: 'sub', priority: 3 },
      cell: ({ entry }) => restrictionText(t, entry),
    },
    {
      ...{ key: 'status', header: t.fields.status, priority: 1 },
      cell: ({ entry }) => (
        <Status tone={isEnabled(entry) ? 'ok' : 'off'}>
          {isEnabled(entry) ? t.enabled : <Dim>{t.disabled}</Dim>}
        </Status>
      ),
    },
  ];
  const actions = (
    <Button
      icon="clip"
      onClick={() => page.onSearch({ prices: 'import', add: undefined, edit: undefined, changes: undefined })}
    >
      {importTexts.open}
    </Button>
  );
  return (
    <EntryList {...{ page, columns, actions }} kind="models" tall isOff={(entry) => !isEnabled(entry)} />
  );
}
