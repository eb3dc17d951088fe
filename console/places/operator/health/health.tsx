import { useApi } from '../../../api/api.ts';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { FilterBar } from '../../../parts/page/filter-bar.tsx';
import { Page, PageHead, Section } from '../../../parts/page/layout.tsx';
import { Table } from '../../../parts/table/table.tsx';
import { count } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useLiveRefresh } from '../live-refresh.ts';
import { useVendorNames } from '../use-names.ts';
import { useCredentialColumns, useRouteColumns } from './columns.tsx';
import { type Credential, HEALTH, type Route } from './data.ts';
import { operatorHealthRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

function isTroubled(credential: Credential): boolean {
  const { suspect, routes } = credential.health;
  return suspect || routes.some(({ state, cooling_ms }) => state !== 'closed' || cooling_ms > 0);
}

function isRouteTroubled({ state, cooling_ms, failures }: Route): boolean {
  return (state !== null && state !== 'closed') || cooling_ms > 0 || failures > 0;
}

/** Credentials and routes as the gateway sees them now. It follows every change. */
export function Health() {
  const t = useTexts({ en, zh });
  const { vendor, only } = operatorHealthRoute.useSearch();
  useLiveRefresh('health', HEALTH);
  useLiveRefresh('call', HEALTH);
  const credentials = useApi('getOverviewByCredential', {});
  const routes = useApi('getOverviewByRoute', {});
  const routeColumns = useRouteColumns(routes.dataUpdatedAt);
  const fits = (each: { readonly vendor: string }) => vendor === undefined || each.vendor === vendor;
  const allCredentials = credentials.data?.data.credentials;
  const allRoutes = routes.data?.data.routes;
  const shownCredentials = allCredentials?.filter((each) => fits(each) && (!only || isTroubled(each)));
  const shownRoutes = allRoutes?.filter((each) => fits(each) && (!only || isRouteTroubled(each)));
  const troubled = allCredentials?.filter(isTroubled).length;
  const failed = [credentials, routes].find((each) => each.isError && each.data === undefined);
  return (
    <Page>
      <PageHead
        title={t.title}
        lead={
          troubled !== undefined && (
            <Status tone="live">
              {troubled === 0 ? t.allServe : t.someTroubled(count(troubled), troubled)}
            </Status>
          )
        }
      />
      <Filters vendors={[...new Set(allRoutes?.map((each) => each.vendor) ?? [])]} />
      {failed !== undefined && (
        <ErrorNote
          cause={t.cannotRead}
          requestId={failed.error?.requestId}
          onRetry={() => void failed.refetch()}
          retrying={failed.isFetching}
        />
      )}
      <Section title={t.credentials} note={t.lastDay}>
        <Table
          label={t.credentials}
          columns={useCredentialColumns(credentials.dataUpdatedAt)}
          rows={shownCredentials}
          rowKey={({ id }) => String(id)}
          isOff={({ status }) => status === 'disabled'}
          skeletonRows={4}
          empty={<Nothing isEmpty={allCredentials?.length === 0} />}
        />
      </Section>
      {!credentials.isPending && (
        <Section title={t.routes} note={routes.data?.data.truncated === true ? t.truncated : t.lastHour}>
          <Table
            label={t.routes}
            columns={routeColumns}
            rows={shownRoutes}
            rowKey={({ route_id }) => String(route_id)}
            isOff={({ status }) => status === 'disabled'}
            empty={<Nothing isEmpty={allRoutes?.length === 0} />}
          />
        </Section>
      )}
    </Page>
  );
}

function Nothing({ isEmpty }: { readonly isEmpty: boolean }) {
  const t = useTexts({ en, zh });
  return isEmpty ? (
    <Empty plain title={t.none.title}>
      {t.none.text}
    </Empty>
  ) : (
    <Empty plain title={t.noTrouble} />
  );
}

function Filters({ vendors }: { readonly vendors: readonly string[] }) {
  const t = useTexts({ en, zh });
  const { vendor, only } = operatorHealthRoute.useSearch();
  const navigate = operatorHealthRoute.useNavigate();
  const vendorName = useVendorNames();
  const listed = vendor === undefined || vendors.includes(vendor) ? vendors : [...vendors, vendor];
  return (
    <FilterBar>
      <Segmented
        label={t.show}
        value={only ?? 'all'}
        onChange={(next) =>
          void navigate({
            search: (now) => ({ ...now, only: next === 'all' ? undefined : next }),
            replace: true,
          })
        }
        options={(['all', 'trouble'] as const).map((value) => ({ value, label: t.shows[value] }))}
      />
      <Select
        aria-label={t.vendor}
        value={vendor ?? ''}
        onChange={(next) =>
          void navigate({
            search: (now) => ({ ...now, vendor: next === '' ? undefined : next }),
            replace: true,
          })
        }
        options={[
          { value: '', label: t.allVendors },
          ...listed.map((value) => ({ value, label: vendorName(value) })),
        ]}
      />
    </FilterBar>
  );
}
