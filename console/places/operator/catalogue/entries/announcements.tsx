import type { Column } from '../../../../parts/table/table.tsx';
import { useNow } from '../../../../parts/text/now.ts';
import { type DotTone, Status } from '../../../../parts/text/status.tsx';
import { Row } from '../../../../parts/text/text.tsx';
import { Time } from '../../../../parts/text/time.tsx';
import { toDate } from '../../../../parts/text/times.ts';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryList, type EntryRow, StatePill } from './entry-list.tsx';

const MINUTE_MS = 60_000;
const TONES: Readonly<Record<'shown' | 'waits' | 'over', DotTone>> = {
  shown: 'ok',
  waits: 'warn',
  over: 'off',
};

function whenOf({ entry }: EntryRow, now: number): 'shown' | 'waits' | 'over' {
  if (toDate(String(entry.starts_at)).getTime() > now) return 'waits';
  return toDate(String(entry.ends_at)).getTime() > now ? 'shown' : 'over';
}

export function Announcements({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const now = useNow(MINUTE_MS);
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'title', header: t.fields.title, main: true, width: '50%' },
      cell: ({ entry, state }) => (
        <Row>
          <span>{String(entry.title)}</span>
          <StatePill state={state} />
        </Row>
      ),
    },
    {
      ...{ key: 'state', header: t.fields.status },
      cell: (row) => <Status tone={TONES[whenOf(row, now)]}>{t.announcement[whenOf(row, now)]}</Status>,
    },
    {
      ...{ key: 'from', header: t.fields.starts_at, priority: 2 },
      cell: ({ entry }) => <Time at={String(entry.starts_at)} look="exact" />,
    },
    {
      ...{ key: 'to', header: t.fields.ends_at, priority: 1 },
      cell: ({ entry }) => <Time at={String(entry.ends_at)} look="exact" />,
    },
  ];
  return (
    <EntryList
      {...{ page, columns }}
      kind="announcements"
      isOff={(entry) => toDate(String(entry.ends_at)).getTime() <= now}
    />
  );
}
