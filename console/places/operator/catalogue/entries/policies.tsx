import type { Column } from '../../../../parts/table/table.tsx';
import { count, NOTHING } from '../../../../parts/text/format.ts';
import { Dim, Row } from '../../../../parts/text/text.tsx';
import { type Document, type Entry, entriesOf } from '../changes/document.ts';
import { type Texts, useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryList, type EntryRow, StatePill } from './entry-list.tsx';

export interface Window {
  readonly dimension: string;
  readonly seconds: number | string;
  readonly limit: number | string;
}

export function windowsOf(policy: Entry): readonly Window[] {
  return (policy.windows ?? []) as readonly Window[];
}

export function plansWith({ document }: { readonly document: Document }, id: string): readonly string[] {
  return entriesOf(document, 'plans')
    .filter(({ policy }) => policy !== undefined && String(policy) === id)
    .map(({ code, name }) => String(name ?? code));
}

function windowsText(t: Texts, policy: Entry): string {
  return windowsOf(policy)
    .map(({ dimension, seconds, limit }) => t.policy.short(dimension, String(limit), t.span(Number(seconds))))
    .join(', ');
}

export function Policies({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const { document } = page.catalogue;
  const usual = String((document.defaults as { policy?: number } | undefined)?.policy ?? '');
  const usersText = (id: string) => {
    const plans = plansWith({ document }, id);
    return [...(usual === id ? [t.policy.usual] : []), ...plans.map(t.policy.withPlan)].join(', ');
  };
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'name', header: t.entity('policy'), main: true },
      cell: ({ entry, state }) => (
        <Row>
          {String(entry.name)}
          <StatePill state={state} />
        </Row>
      ),
    },
    {
      ...{ key: 'atOnce', header: t.policy.atOnce, align: 'right' },
      cell: ({ entry }) => (entry.concurrency === undefined ? NOTHING : count(String(entry.concurrency))),
    },
    {
      ...{ key: 'windows', header: t.policy.windows, priority: 1 },
      cell: ({ entry }) => windowsText(t, entry) || <Dim>{NOTHING}</Dim>,
    },
    {
      ...{ key: 'use', header: t.policy.usedBy, tone: 'sub', priority: 3 },
      cell: ({ key }) => usersText(key) || <Dim>{NOTHING}</Dim>,
    },
  ];
  return <EntryList {...{ page, columns }} kind="policies" />;
}
