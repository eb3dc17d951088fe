import { useCallback } from 'react';
import { useCrumb } from '../../app/crumb.ts';
import { useProfile } from '../../app/session.ts';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Split } from '../../parts/overlay/drawer.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead } from '../../parts/page/layout.tsx';
import { Table } from '../../parts/table/table.tsx';
import { useTexts } from '../../texts/language.ts';
import { factorOf, isShown, type Rates, sorted } from './catalogue.ts';
import { useColumns } from './columns.tsx';
import { ModelFilters } from './filters.tsx';
import { ModelDrawer } from './model-drawer.tsx';
import { modelsRoute } from './route.ts';
import { type ModelsSearch, SORTS } from './search.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { useModels } from './use-models.ts';

/** Every model on offer, with what it costs the reader. */
export function Models() {
  const t = useTexts({ en, zh });
  const search = modelsRoute.useSearch();
  const navigate = modelsRoute.useNavigate();
  const isSignedIn = useProfile() !== undefined;
  const { prices, models } = useModels();
  const change = useCallback(
    (next: Partial<Record<keyof ModelsSearch, unknown>>, replace?: 'replace') =>
      void navigate({ search: (now) => ({ ...now, ...next }) as never, replace: replace === 'replace' }),
    [navigate],
  );
  const close = useCallback(() => change({ model: undefined }), [change]);
  const open = models?.find(({ id }) => id === search.model);
  useCrumb(open?.id);
  const rates = prices.data?.data;
  return (
    <Split drawer={open !== undefined && <ModelDrawer model={open} rates={rates} onClose={close} />}>
      <Page>
        <PageHead title={t.title} lead={rates && isSignedIn ? leadOf(t, rates) : t.lead}>
          {isSignedIn && (
            <Segmented
              label={t.whichPrice}
              value={search.list === true ? 'list' : 'own'}
              onChange={(next) => change({ list: next === 'list' ? true : undefined }, 'replace')}
              options={[
                { value: 'own' as const, label: t.yourPrice },
                { value: 'list' as const, label: t.listPrice },
              ]}
            />
          )}
        </PageHead>
        <ModelFilters models={models ?? []} search={search} onChange={change} />
        {prices.isError && (
          <ErrorNote
            cause={t.unread}
            requestId={prices.error.requestId}
            onRetry={() => void prices.refetch()}
            retrying={prices.isFetching}
          />
        )}
        {!(prices.isError && models === undefined) && <List search={search} onChange={change} />}
      </Page>
    </Split>
  );
}

/** Only the rates that are the same for every model; those of a model are in its drawer. */
function leadOf(t: typeof en, { system_rate: system, user_rate: user, node_rate: node }: Rates): string {
  const factors = [
    ...(system === 100 ? [] : [t.platformFactor(factorOf(system))]),
    ...(user === 100 ? [] : [t.yourFactor(factorOf(user))]),
    ...(node === 100 ? [] : [t.nodeFactor(factorOf(node))]),
  ];
  return factors.length === 0 ? t.leadList : t.leadRates(factors.join(' '));
}

interface ListProps {
  readonly search: ModelsSearch;
  readonly onChange: (change: Partial<Record<keyof ModelsSearch, unknown>>, replace?: 'replace') => void;
}

function Nothing({ onClear }: { readonly onClear: () => void }) {
  const t = useTexts({ en, zh });
  return (
    <Empty
      plain
      title={t.noneFound}
      action={
        <Button size="sm" onClick={onClear}>
          {t.dropFilters}
        </Button>
      }
    />
  );
}

const NO_FILTERS = {
  ...{ q: undefined, vendor: undefined, takes: undefined, speaks: undefined },
  ...{ price: undefined, callable: undefined },
};

function List({ search, onChange }: ListProps) {
  const t = useTexts({ en, zh });
  const { models } = useModels();
  const columns = useColumns(search);
  const shown = models?.filter((model) => isShown(model, search));
  return (
    <Table
      label={t.title}
      tall
      columns={columns}
      rows={shown && sorted(shown, search)}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/models', search: ((now: object) => ({ ...now, model: id })) as never })}
      openKey={search.model}
      sort={{ key: search.sort ?? 'used', direction: search.dir ?? 'down' }}
      onSort={({ key, direction }) =>
        onChange(
          {
            sort: SORTS.find((each) => each === key),
            dir: direction === 'up' ? 'up' : undefined,
          },
          'replace',
        )
      }
      empty={
        models?.length === 0 ? (
          <Empty plain title={t.noModels}>
            {t.noModelsHow}
          </Empty>
        ) : (
          <Nothing onClear={() => onChange(NO_FILTERS)} />
        )
      }
    />
  );
}
