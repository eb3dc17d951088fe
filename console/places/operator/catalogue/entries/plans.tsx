import type { Column } from '../../../../parts/table/table.tsx';
import { money, NOTHING } from '../../../../parts/text/format.ts';
import { Mono, Row, Sub } from '../../../../parts/text/text.tsx';
import { type Entry, findEntry } from '../changes/document.ts';
import { type Texts, useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryList, type EntryRow, StatePill } from './entry-list.tsx';

export interface Covers {
  readonly models?: '*' | readonly string[];
  readonly windows?: readonly { readonly seconds: number | string; readonly amount: string }[];
}

export function coversText(t: Texts, plan: Entry): string {
  const { models = '*', windows = [] } = (plan.covers ?? {}) as Covers;
  const what = models === '*' ? t.plan.allModels : t.plan.someModels(models.length);
  const limits = windows.map(({ seconds, amount }) =>
    t.plan.perWindow(money(amount), t.span(Number(seconds))),
  );
  return [what, ...limits].join(', ');
}

export function Plans({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const { document } = page.catalogue;
  const policyName = (id: unknown) =>
    id === undefined ? NOTHING : String(findEntry(document, 'policies', String(id))?.name ?? id);
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'name', header: t.entity('plan'), main: true },
      cell: ({ key, entry, state }) => (
        <Row>
          {String(entry.name ?? key)}
          <Sub>
            <Mono>{key}</Mono>
          </Sub>
          <StatePill state={state} />
        </Row>
      ),
    },
    {
      key: 'level',
      header: t.fields.level,
      hint: t.plan.levelHint,
      align: 'right',
      cell: ({ entry }) => String(entry.level),
    },
    {
      key: 'price',
      header: t.fields.price,
      align: 'right',
      cell: ({ entry }) => money(String(entry.price ?? 0)),
    },
    {
      ...{ key: 'days', header: t.fields.days, align: 'right', priority: 2 },
      cell: ({ entry }) => String(entry.days ?? 30),
    },
    { key: 'policy', header: t.entity('policy'), priority: 2, cell: ({ entry }) => policyName(entry.policy) },
    {
      key: 'covers',
      header: t.fields.covers,
      tone: 'sub',
      priority: 3,
      cell: ({ entry }) => coversText(t, entry),
    },
  ];
  return <EntryList {...{ page, columns }} kind="plans" />;
}
