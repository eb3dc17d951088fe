import { useState } from 'react';
import { type Row as ApiRow, type Data, useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/overlay/menu.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { count, duration, written } from '../../parts/text/format.ts';
import { Status, VendorMark } from '../../parts/text/status.tsx';
import { Bad, Dim, Hidden, Mono } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './credentials.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

export type Credential = ApiRow<'listByokCredentials'>;
type Use = Data<'getUsageOfByokCredentials'>[number];

export function useColumns(
  uses: readonly Use[] | undefined,
  onDelete: (credential: Credential) => void,
): readonly Column<Credential>[] {
  const t = useTexts({ en, zh });
  const usageOf = ({ id }: Credential) => uses?.find((each) => each.id === id);
  return [
    { key: 'name', header: t.key, main: true, cell: (row) => <Name credential={row} /> },
    { key: 'health', header: t.health, cell: (row) => <Health credential={row} /> },
    {
      key: 'calls',
      header: t.calls30,
      align: 'right',
      priority: 2,
      cell: (row) => {
        const use = usageOf(row);
        return (
          <span className={css.two}>
            {count(use?.calls ?? 0)}
            <small>
              {use === undefined || use.failed === 0 ? t.noneFailed : t.failed(count(use.failed))}
            </small>
          </span>
        );
      },
    },
    {
      key: 'tokens',
      header: t.tokens,
      align: 'right',
      priority: 3,
      tone: 'sub',
      cell: (row) => {
        const use = usageOf(row);
        return use === undefined ? '–' : count(use.input_tokens + use.output_tokens);
      },
    },
    {
      key: 'used',
      header: t.lastUsed,
      priority: 3,
      tone: 'sub',
      cell: ({ last_used_at: at }) => (at === null ? t.notLately : <Time at={at} />),
    },
    {
      key: 'actions',
      header: <Hidden>{t.actions}</Hidden>,
      align: 'right',
      cell: (row) => <Actions credential={row} onDelete={onDelete} />,
    },
  ];
}

function Name({ credential }: { readonly credential: Credential }) {
  const vendors = useApi('listVendorsForByokCredentials', {}).data?.data;
  const vendor = vendors?.find(({ vendor_code: code }) => code === credential.vendor_code);
  return (
    <span className={css.name}>
      <VendorMark name={vendor?.vendor_name ?? credential.vendor_code} />
      <span className={css.two}>
        <span className={css.cut}>{credential.name}</span>
        <small>
          <Mono>
            {credential.vendor_code} {credential.secret_hint}
          </Mono>
        </small>
      </span>
    </span>
  );
}

function Health({ credential }: { readonly credential: Credential }) {
  const t = useTexts({ en, zh });
  const { status, last_outcome: outcome, failing_since: since } = credential;
  const note =
    outcome === null ? (
      t.noCallLately
    ) : since === null ? (
      t.lastCallWorked
    ) : (
      <Bad>
        {t.outcome(outcome)} <Time at={since} />
      </Bad>
    );
  return (
    <span className={css.two}>
      {status === 'disabled' ? (
        <Status tone="off">{t.off}</Status>
      ) : since !== null ? (
        <Status tone="bad">{t.refused}</Status>
      ) : (
        <Status tone={outcome === null ? 'off' : 'ok'}>{outcome === null ? t.unused : t.healthy}</Status>
      )}
      <small>{status === 'disabled' ? t.offNote : note}</small>
    </span>
  );
}

interface ActionsProps {
  readonly credential: Credential;
  readonly onDelete: (credential: Credential) => void;
}

function Actions({ credential, onDelete }: ActionsProps) {
  const t = useTexts({ en, zh });
  const { id, name, status } = credential;
  const [isShown, setShown] = useState(false);
  const test = useApiWrite('testCredential', []);
  const write = useApiWrite('updateByokCredential', ['listByokCredentials']);
  const result = test.data?.data;
  const next = status === 'enabled' ? 'disabled' : 'enabled';
  const run = () => {
    setShown(true);
    test.mutate({ body: { id } });
  };
  return (
    <span className={css.actions}>
      {isShown && !test.isPending && (result !== undefined || test.isError) && (
        <span role="status" className={css.result}>
          {result?.ok === true ? (
            t.works(written(duration(result.latency_ms)))
          ) : (
            <Bad title={result?.message ?? test.error?.message}>
              {result === undefined ? test.error?.message : t.worksNot(result.status)}
            </Bad>
          )}
        </span>
      )}
      {write.isError && <Dim>{t.notSaved}</Dim>}
      <Button variant="ghost" size="xs" pending={test.isPending} onClick={run} aria-label={t.testName(name)}>
        {t.test}
      </Button>
      <Menu
        align="end"
        trigger={<Button variant="ghost" size="xs" icon="more" aria-label={t.moreFor(name)} />}
        groups={[
          [
            {
              key: 'edit',
              label: t.edit,
              icon: 'gear',
              link: { to: '/credentials', search: { open: id } as never },
            },
            {
              key: 'status',
              label: t.switchTo[next],
              icon: status === 'enabled' ? 'stop' : 'check',
              onSelect: () => write.mutate({ body: { id, status: next } }),
            },
          ],
          [{ key: 'delete', label: t.delete, icon: 'x', danger: true, onSelect: () => onDelete(credential) }],
        ]}
      />
    </span>
  );
}
