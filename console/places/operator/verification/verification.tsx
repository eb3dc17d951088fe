import { Link } from '@tanstack/react-router';
import { useApi } from '../../../api/api.ts';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Split } from '../../../parts/overlay/drawer.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { FilterBar } from '../../../parts/page/filter-bar.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { count } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Pages, ReadError } from '../shared.tsx';
import { type Application, TONES } from './data.ts';
import { Decision } from './decision.tsx';
import { operatorVerificationRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const SIZE = 50;
const REFRESH_MS = 15_000;

function useColumns(): readonly Column<Application>[] {
  const t = useTexts({ en, zh });
  return [
    { key: 'name', header: t.name, main: true, cell: ({ name }) => name },
    { key: 'kind', header: t.kind, cell: ({ kind }) => t.kinds[kind] },
    {
      ...{ key: 'email', header: t.account, tone: 'sub', priority: 1 },
      cell: ({ email, account_id }) => (
        <Link to="/operator/accounts/$id" params={{ id: String(account_id) }}>
          {email}
        </Link>
      ),
    },
    {
      ...{ key: 'document', header: t.document, tone: 'sub', priority: 2 },
      cell: (row) => <Mono>{row.document_number}</Mono>,
    },
    {
      ...{ key: 'status', header: t.status },
      cell: ({ status }) => <Status tone={TONES[status]}>{t.states[status]}</Status>,
    },
    {
      ...{ key: 'since', header: t.since, align: 'right', tone: 'dim', priority: 2 },
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

/** The applications for verification. A decision counts from the next call on. */
export function Verification() {
  const t = useTexts({ en, zh });
  const { status = 'pending', page = 1, open } = operatorVerificationRoute.useSearch();
  const navigate = operatorVerificationRoute.useNavigate();
  const list = useApi(
    'listVerifications',
    { query: { page, size: SIZE, ...(status !== 'all' && { status }) } },
    { refetchInterval: REFRESH_MS },
  );
  const rows = list.data?.data;
  const total = list.data?.total;
  const drawer = open !== undefined && (
    <Decision
      key={open}
      id={open}
      known={rows?.find(({ id }) => id === open)}
      onClose={() => void navigate({ search: (now) => ({ ...now, open: undefined }) })}
    />
  );
  return (
    <Split drawer={drawer}>
      <Page>
        <PageHead
          title={t.title}
          lead={status === 'pending' && total !== undefined ? t.waiting(count(total), total) : undefined}
        />
        <FilterBar>
          <Segmented
            label={t.status}
            value={status}
            onChange={(next) =>
              void navigate({ search: { status: next === 'pending' ? undefined : next }, replace: true })
            }
            options={(['pending', 'approved', 'refused', 'all'] as const).map((value) => ({
              ...{ value, label: t.states[value] },
            }))}
          />
        </FilterBar>
        <ReadError query={list} />
        <Table
          label={t.title}
          columns={useColumns()}
          rows={rows}
          rowKey={({ id }) => String(id)}
          rowLink={({ id }) => ({
            to: '/operator/verification',
            search: ((now: object) => ({ ...now, open: id })) as never,
          })}
          openKey={open === undefined ? undefined : String(open)}
          empty={<Empty title={t.empty[status]}>{status === 'pending' ? t.emptyText : undefined}</Empty>}
        />
        <Pages
          answer={list.data}
          onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        />
      </Page>
    </Split>
  );
}
