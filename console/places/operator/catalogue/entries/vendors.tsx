import type { Column } from '../../../../parts/table/table.tsx';
import { Tag, VendorMark } from '../../../../parts/text/status.tsx';
import { Mono, Row, Sub } from '../../../../parts/text/text.tsx';
import { entriesOf } from '../changes/document.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryList, type EntryRow, StatePill } from './entry-list.tsx';

export function Vendors({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const credentials = entriesOf(page.catalogue.document, 'credentials');
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'name', header: t.fields.name, main: true },
      cell: ({ key, entry, state }) => (
        <Row>
          <VendorMark name={String(entry.name ?? key)} />
          {String(entry.name ?? key)}
          <StatePill state={state} />
        </Row>
      ),
    },
    { key: 'code', header: t.fields.code, tone: 'sub', priority: 2, cell: ({ key }) => <Mono>{key}</Mono> },
    {
      ...{ key: 'protocols', header: t.fields.protocols, priority: 3 },
      cell: ({ entry }) => (
        <Row>
          {(entry.protocols as readonly string[]).map((name) => (
            <Tag key={name} mono>
              {name}
            </Tag>
          ))}
        </Row>
      ),
    },
    {
      ...{ key: 'address', header: t.fields.base_url, priority: 2, width: '32%' },
      cell: ({ entry }) => (
        <Sub>
          <Mono>{String(entry.base_url)}</Mono>
        </Sub>
      ),
    },
    {
      ...{ key: 'credentials', header: t.sections.credentials.title, align: 'right', priority: 1 },
      cell: ({ key }) => credentials.filter(({ vendor }) => vendor === key).length,
    },
    {
      key: 'rate',
      header: t.fields.rate,
      align: 'right',
      cell: ({ entry }) => t.percent(String(entry.rate ?? 100)),
    },
  ];
  return <EntryList {...{ page, columns }} kind="vendors" />;
}
