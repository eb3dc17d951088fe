import { useCallback, useState } from 'react';
import { useApi, useApiWrite } from '../../api/api.ts';
import { queries } from '../../api/queries.ts';
import { useCrumb } from '../../app/crumb.ts';
import { useLive } from '../../app/live.ts';
import { LinkButton } from '../../parts/button.tsx';
import { SwitchRow } from '../../parts/form/choice.tsx';
import { ConfirmByName } from '../../parts/overlay/dialog.tsx';
import { Split } from '../../parts/overlay/drawer.tsx';
import { Banner } from '../../parts/page/banner.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import { type Credential, useColumns } from './columns.tsx';
import { CredentialDrawer } from './credential-drawer.tsx';
import css from './credentials.module.css';
import { credentialsRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const ALL = { query: { size: 100 } };

/** The vendors' keys of the account itself. */
export function Credentials() {
  const t = useTexts({ en, zh });
  const { open } = credentialsRoute.useSearch();
  const navigate = credentialsRoute.useNavigate();
  const answer = useApi('listByokCredentials', ALL);
  const [doomed, setDoomed] = useState<Credential>();
  const rows = answer.data?.data;
  const edited = rows?.find(({ id }) => id === open);
  useCrumb(open === 'new' ? t.add : edited?.name);
  // A call may have used one of them.
  useLive(
    'call',
    useCallback(() => void refresh(), []),
  );
  const isOpen = open === 'new' || edited !== undefined;
  const close = useCallback(() => void navigate({ search: {} }), [navigate]);
  return (
    <Split
      drawer={
        isOpen && (
          <CredentialDrawer key={String(open)} credential={edited} onClose={close} onDelete={setDoomed} />
        )
      }
    >
      <Page>
        <PageHead title={t.title} lead={t.lead}>
          <LinkButton to="/credentials" search={{ open: 'new' }} variant="primary" icon="plus">
            {t.add}
          </LinkButton>
        </PageHead>
        {answer.isError && rows === undefined && (
          <ErrorNote
            cause={t.unread}
            requestId={answer.error.requestId}
            onRetry={() => void answer.refetch()}
            retrying={answer.isFetching}
          />
        )}
        <Failing rows={rows ?? []} />
        {!(answer.isError && rows === undefined) && <List rows={rows} open={open} onDelete={setDoomed} />}
        {!answer.isPending && <HowTheyAreUsed />}
        <Deletion credential={doomed} onClose={() => setDoomed(undefined)} onDeleted={close} />
      </Page>
    </Split>
  );
}

const timer: { id?: number | undefined } = {};

/** At most once in two seconds, however many calls arrive. */
function refresh(): void {
  timer.id ??= window.setTimeout(() => {
    timer.id = undefined;
    void queries.invalidateQueries({ queryKey: ['listByokCredentials'] });
    void queries.invalidateQueries({ queryKey: ['getUsageOfByokCredentials'] });
  }, 2_000);
}

/** A key that its vendor refuses, and what happens to its calls meanwhile. */
function Failing({ rows }: { readonly rows: readonly Credential[] }) {
  const t = useTexts({ en, zh });
  const vendors = useApi('listVendorsForByokCredentials', {}).data?.data;
  const fallback = useApi('getPreferences', {}).data?.data.byok_fallback;
  const failing = rows.filter(({ failing_since: since, status }) => since !== null && status === 'enabled');
  return failing.map((each) => {
    const vendor = vendors?.find(({ vendor_code: code }) => code === each.vendor_code);
    return (
      <div key={each.id} className={css.banner}>
        <Banner
          tone="bad"
          action={
            <LinkButton size="xs" to="/credentials" search={{ open: each.id }}>
              {t.replaceIt}
            </LinkButton>
          }
        >
          <b>{each.name}</b>{' '}
          {t.failsAt(vendor?.vendor_name ?? each.vendor_code, t.outcome(each.last_outcome ?? ''))}{' '}
          {each.failing_since !== null && <Time at={each.failing_since} />}
          {t.stop} {fallback === true ? t.platformTakesOver : t.callsFail}
        </Banner>
      </div>
    );
  });
}

interface ListProps {
  readonly rows: readonly Credential[] | undefined;
  readonly open: number | 'new' | undefined;
  readonly onDelete: (credential: Credential) => void;
}

function List({ rows, open, onDelete }: ListProps) {
  const t = useTexts({ en, zh });
  const uses = useApi('getUsageOfByokCredentials', {}).data?.data;
  const columns = useColumns(uses, onDelete);
  return (
    <Table
      label={t.title}
      tall
      columns={columns}
      rows={rows}
      rowKey={({ id }) => String(id)}
      rowLink={({ id }) => ({ to: '/credentials', search: { open: id } as never })}
      openKey={open === undefined ? undefined : String(open)}
      isOff={({ status }) => status === 'disabled'}
      skeletonRows={3}
      empty={
        <Empty
          title={t.none}
          action={
            <LinkButton to="/credentials" search={{ open: 'new' }} size="sm">
              {t.addFirst}
            </LinkButton>
          }
        >
          {t.noneHow}
        </Empty>
      }
    />
  );
}

function HowTheyAreUsed() {
  const t = useTexts({ en, zh });
  const answer = useApi('getPreferences', {});
  const write = useApiWrite('setPreferences', ['getPreferences']);
  const on = write.isPending
    ? (write.variables.body?.byok_fallback ?? false)
    : (answer.data?.data.byok_fallback ?? false);
  return (
    <div className={css.how}>
      <Section title={t.how}>
        <div className={css.words}>
          <p>
            <b>{t.first}</b> {on ? t.firstFallback : t.firstNoFallback}
          </p>
          <p>
            <b>{t.same}</b> {t.sameText}
          </p>
        </div>
        <div className={css.fallback}>
          <SwitchRow
            label={t.fallback}
            help={t.fallbackHelp}
            checked={on}
            disabled={answer.data === undefined}
            onChange={(byok_fallback) => write.mutate({ body: { byok_fallback } })}
          />
        </div>
        {write.isError && <ErrorNote cause={t.notSaved} requestId={write.error.requestId} />}
      </Section>
    </div>
  );
}

interface DeletionProps {
  readonly credential: Credential | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function Deletion({ credential, onClose, onDeleted }: DeletionProps) {
  const t = useTexts({ en, zh });
  const write = useApiWrite('deleteByokCredentials', ['listByokCredentials', 'getUsageOfByokCredentials']);
  if (credential === undefined) return null;
  const remove = () =>
    write.mutate(
      { query: { ids: String(credential.id) } },
      {
        onSuccess: () => {
          onClose();
          onDeleted();
        },
      },
    );
  return (
    <ConfirmByName
      open
      onClose={onClose}
      onConfirm={remove}
      title={t.deleteTitle(credential.name)}
      name={credential.name}
      action={t.delete}
      pending={write.isPending}
    >
      {write.isError ? write.error.message : t.deleteText}
    </ConfirmByName>
  );
}
