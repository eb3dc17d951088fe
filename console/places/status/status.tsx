import type { Row } from '../../api/api.ts';
import { useApi } from '../../api/api.ts';
import { useSettings } from '../../app/settings.ts';
import { FactList } from '../../parts/figures/facts.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Columns, Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Status as State } from '../../parts/text/status.tsx';
import { Mono } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Node = Row<'listGatewayNodes'>;

const REFRESH_MS = 10_000;

function useColumns(): readonly Column<Node>[] {
  const t = useTexts({ en, zh });
  return [
    { key: 'name', header: t.node, cell: ({ name }) => <Mono>{name}</Mono> },
    {
      key: 'state',
      header: t.state,
      cell: ({ alive }) => <State tone={alive ? 'ok' : 'bad'}>{alive ? t.serving : t.down}</State>,
    },
    { key: 'region', header: t.region, cell: ({ region }) => region || '–', priority: 2 },
    {
      key: 'address',
      header: t.address,
      cell: ({ base_url: url }) => (url === '' ? '–' : <Mono>{url}</Mono>),
      priority: 3,
    },
    {
      key: 'seen',
      header: t.seen,
      align: 'right',
      cell: ({ last_seen_at }) => (last_seen_at === null ? '–' : <Time at={last_seen_at} />),
    },
  ];
}

/** Whether the gateway serves: for everybody, without a login. */
export function Status() {
  const t = useTexts({ en, zh });
  const columns = useColumns();
  const settings = useSettings();
  const nodes = useApi('listGatewayNodes', {}, { refetchInterval: REFRESH_MS });
  const rows = nodes.data?.data;
  const down = rows?.filter(({ alive }) => !alive).length ?? 0;
  return (
    <Page>
      <PageHead
        title={t.title}
        lead={rows === undefined ? undefined : down === 0 ? t.normal : t.someDown(down)}
      />
      <Columns
        side={
          <Section title={t.server}>
            <FactList
              facts={[
                { name: t.version, value: settings?.version ?? '–' },
                { name: t.timeZone, value: settings?.time_zone ?? '–' },
                {
                  name: t.registration,
                  value: settings === undefined ? '–' : t.registrations[settings.registration],
                },
              ]}
            />
          </Section>
        }
      >
        <Section title={t.nodes} note={t.refreshed}>
          {nodes.isError && (
            <ErrorNote
              cause={t.unread}
              requestId={nodes.error.requestId}
              onRetry={() => void nodes.refetch()}
            />
          )}
          <Table
            label={t.nodes}
            columns={columns}
            rows={rows}
            rowKey={({ name }) => name}
            skeletonRows={2}
            empty={<Empty plain title={t.none} />}
          />
        </Section>
      </Columns>
    </Page>
  );
}
