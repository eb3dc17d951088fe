import { type Data, useApi } from '../../../../api/api.ts';
import { useServerTimes } from '../../../../app/server-time.ts';
import type { Column } from '../../../../parts/table/table.tsx';
import { count, NOTHING, percent } from '../../../../parts/text/format.ts';
import { useNow } from '../../../../parts/text/now.ts';
import { Status, VendorMark } from '../../../../parts/text/status.tsx';
import { Dim, Mono, Row } from '../../../../parts/text/text.tsx';
import { CountDown } from '../../../../parts/text/time.tsx';
import { isEnabled } from '../models.tsx';
import { useCatalogueTexts } from '../texts.ts';
import type { CataloguePageProps } from '../types.ts';
import { EntryList, type EntryRow, StatePill } from './entry-list.tsx';

export type CredentialState = Data<'getOverviewByCredential'>['credentials'][number];

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const REFRESH_MS = 15_000;

/** The credentials of the platform with their last hour, by name. */
export function useCredentialStates(): ReadonlyMap<string, CredentialState> | undefined {
  const { write } = useServerTimes();
  const nowMs = Math.floor(useNow(MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  const asked = useApi(
    'getOverviewByCredential',
    { query: { from: write(nowMs - HOUR_MS) } },
    { refetchInterval: REFRESH_MS, placeholderData: (before) => before },
  );
  const list = asked.data?.data.credentials;
  return list && new Map(list.map((each) => [each.name, each]));
}

/** Ready, cooling with the time that is left, doubtful, or open after failures. */
export function CredentialHealth({ state }: { readonly state: CredentialState | undefined }) {
  const t = useCatalogueTexts().health;
  if (state === undefined) return <Dim>{NOTHING}</Dim>;
  const cooling = Math.max(0, ...state.health.routes.map(({ cooling_ms }) => cooling_ms));
  const isOpen = state.health.routes.some((route) => route.state === 'open');
  if (cooling > 0) {
    return (
      <Status tone="warn">
        {t.cooling} <CountDown until={Date.now() + cooling} />
      </Status>
    );
  }
  if (isOpen) return <Status tone="bad">{t.open}</Status>;
  if (state.health.suspect) return <Status tone="warn">{t.suspect}</Status>;
  return <Status tone="ok">{t.ready}</Status>;
}

export function Credentials({ page }: { readonly page: CataloguePageProps }) {
  const t = useCatalogueTexts();
  const states = useCredentialStates();
  const secrets = useApi('listCredentials', { query: { size: 100 } }).data?.data;
  const columns: Column<EntryRow>[] = [
    {
      ...{ key: 'name', header: t.fields.name, main: true },
      cell: ({ key, entry, state }) => (
        <Row>
          <VendorMark name={String(entry.vendor)} />
          {key}
          <StatePill state={state} />
        </Row>
      ),
    },
    {
      key: 'vendor',
      header: t.entity('vendor'),
      tone: 'sub',
      priority: 2,
      cell: ({ entry }) => String(entry.vendor),
    },
    {
      ...{ key: 'secret', header: t.fields.secret, tone: 'sub', priority: 3 },
      cell: ({ key }) => <Mono>{secrets?.find(({ name }) => name === key)?.secret ?? NOTHING}</Mono>,
    },
    {
      ...{ key: 'health', header: t.health.title },
      cell: ({ key, entry }) =>
        isEnabled(entry) ? (
          <CredentialHealth state={states?.get(key)} />
        ) : (
          <Status tone="off">{t.disabled}</Status>
        ),
    },
    {
      key: 'rate',
      header: t.fields.costRate,
      align: 'right',
      cell: ({ entry }) => t.percent(String(entry.rate ?? 100)),
    },
    {
      ...{ key: 'calls', header: t.lastHour, align: 'right', priority: 1 },
      cell: ({ key }) => count(states?.get(key)?.calls),
    },
    {
      ...{ key: 'failed', header: t.health.failed, align: 'right', tone: 'sub', priority: 3 },
      cell: ({ key }) => {
        const { calls = 0, failed = 0 } = states?.get(key) ?? {};
        return calls === 0 ? NOTHING : percent(failed / calls);
      },
    },
  ];
  return <EntryList {...{ page, columns }} kind="credentials" isOff={(entry) => !isEnabled(entry)} />;
}
