import { Link } from '@tanstack/react-router';
import { type Row, useApi, useApiWrite } from '../../../api/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Segmented } from '../../../parts/form/segmented.tsx';
import { showToast } from '../../../parts/overlay/toast.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Section } from '../../../parts/page/layout.tsx';
import { Bad, Dim, Hidden } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { useAlertName } from '../../notifications/alert-name.ts';
import { Deliveries } from '../../notifications/deliveries.tsx';
import { Pages, ReadError } from '../shared.tsx';
import { DELIVERY_STATES, operatorAlertsRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Message = Row<'listAllAlertDeliveries'>;

const SIZE = 50;
/** No event tells that a message was sent. */
const LOOK_MS = 10_000;

/** Every message of the server: what was sent, what is tried again, and what was given up. */
export function Outbox() {
  const t = useTexts({ en, zh });
  const { status, page = 1 } = operatorAlertsRoute.useSearch();
  const navigate = operatorAlertsRoute.useNavigate();
  const query = { page, size: SIZE, ...(status !== undefined && { status }) };
  const list = useApi('listAllAlertDeliveries', { query }, { refetchInterval: LOOK_MS });
  const chosen = status ?? 'all';
  return (
    <Section
      title={t.outbox}
      note={t.outboxNote}
      right={
        <Segmented
          label={t.which}
          size="sm"
          value={chosen}
          onChange={(next) =>
            void navigate({
              search: (now) => ({ ...now, status: next === 'all' ? undefined : next, page: undefined }),
              replace: true,
            })
          }
          options={(['all', ...DELIVERY_STATES] as const).map((value) => ({ value, label: t.states[value] }))}
        />
      }
    >
      <ReadError query={list} />
      <Deliveries
        label={t.outbox}
        rows={list.data?.data}
        accountOf={(message) => <Owner message={message} />}
        action={{
          ...{ key: 'actions', header: <Hidden>{t.actions}</Hidden>, align: 'right' },
          cell: (message) => <SendAgain message={message} />,
        }}
        empty={<Empty plain title={t.none[chosen]} />}
      />
      <Pages
        answer={list.data}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
      />
    </Section>
  );
}

function Owner({ message: { account_id: id } }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  if (id === null) return '–';
  return (
    <Link to="/operator/accounts/$id" params={{ id: String(id) }}>
      {t.account(id)}
    </Link>
  );
}

/** Mails whose link was deleted when they were given up: they cannot be sent again. */
const LINKED: ReadonlySet<string> = new Set(['verify-address', 'reset-password']);

function SendAgain({ message: { id, kind, status } }: { readonly message: Message }) {
  const t = useTexts({ en, zh });
  const name = useAlertName()(kind);
  const write = useApiWrite('sendAlertAgain', ['listAllAlertDeliveries', 'listAuditEntries']);
  if (status !== 'dead') return null;
  if (LINKED.has(kind)) return <Dim title={t.linkGoneHelp}>{t.linkGone}</Dim>;
  // The row may be gone by then: a list of what was not delivered no longer has it.
  const send = () =>
    write.mutateAsync({ params: { id } }).then(
      () => showToast({ text: t.queued }),
      () => undefined,
    );
  return (
    <>
      {write.isError && <Bad>{write.error.message} </Bad>}
      <Button size="xs" pending={write.isPending} aria-label={t.sendNamed(name, id)} onClick={send}>
        {t.sendAgain}
      </Button>
    </>
  );
}
