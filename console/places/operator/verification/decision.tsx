import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, useApiWrite } from '../../../api/api.ts';
import { useCrumb } from '../../../app/crumb.ts';
import { Button } from '../../../parts/button.tsx';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Field } from '../../../parts/form/field.tsx';
import { Textarea } from '../../../parts/form/input.tsx';
import { Drawer, DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { Stack } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { Status } from '../../../parts/text/status.tsx';
import { Mono, Row } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import { WriteError } from '../shared.tsx';
import { type Application, TONES } from './data.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

interface DecisionProps {
  readonly id: number;
  /** From the list. An application that left it is found among all. */
  readonly known: Application | undefined;
  readonly onClose: () => void;
}

const FOUND_AMONG = { query: { page: 1, size: 100 } };

export function Decision({ id, known, onClose }: DecisionProps) {
  const t = useTexts({ en, zh });
  const all = useApi('listVerifications', FOUND_AMONG, { enabled: known === undefined });
  // After a decision the list may drop it; the drawer goes on showing what was decided.
  const [last, setLast] = useState(known);
  if (known !== undefined && known !== last) setLast(known);
  const found = all.data?.data.find((each) => each.id === id) ?? known ?? last;
  useCrumb(found?.name);
  const title = found?.name ?? t.application;
  return (
    <Drawer label={title} title={title} size="narrow" onClose={onClose}>
      {found === undefined ? (
        all.isPending ? (
          <SkeletonLines lines={6} />
        ) : (
          <Empty plain title={t.gone} />
        )
      ) : (
        <>
          <Facts application={found} />
          <Decide application={found} />
        </>
      )}
    </Drawer>
  );
}

function Facts({ application }: { readonly application: Application }) {
  const t = useTexts({ en, zh });
  const { kind, name, document_number: document, contact, status, reason } = application;
  const decidedAt = application.decided_at;
  return (
    <DrawerSection>
      <FactList
        facts={[
          { name: t.status, value: <Status tone={TONES[status]}>{t.states[status]}</Status> },
          { name: t.kind, value: t.kinds[kind] },
          { name: t.name, value: name },
          { name: t.document, value: <Mono>{document}</Mono> },
          { name: t.contact, value: contact ?? '–' },
          {
            name: t.account,
            value: (
              <Link to="/operator/accounts/$id" params={{ id: String(application.account_id) }}>
                {application.email}
              </Link>
            ),
          },
          { name: t.since, value: <Time at={application.created_at} look="exact" /> },
          ...(decidedAt === null ? [] : [{ name: t.decided, value: <Time at={decidedAt} look="exact" /> }]),
          ...(reason === null || reason === '' ? [] : [{ name: t.reason, value: reason }]),
        ]}
      />
    </DrawerSection>
  );
}

/** Also what is decided can be decided otherwise, as far as the server allows it. */
function Decide({ application: { id, kind, status } }: { readonly application: Application }) {
  const t = useTexts({ en, zh });
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const write = useApiWrite('decideVerification', [
    ...(['listVerifications', 'getAccount', 'getOverview', 'listAuditEntries'] as const),
  ]);
  if (status !== 'pending') return null;
  const decide = (decision: 'approve' | 'refuse') => {
    const given = reason.trim();
    setMissing(decision === 'refuse' && given === '');
    if (decision === 'refuse' && given === '') return;
    write.mutate({ params: { id }, body: { decision, ...(given !== '' && { reason: given }) } });
  };
  const asked = write.variables?.body.decision;
  return (
    <DrawerSection title={t.decision}>
      <Stack gap={16}>
        <Field label={t.reason} help={t.reasonHelp} error={isMissing ? t.reasonMissing : undefined}>
          <Textarea rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
        <WriteError error={write.error} />
        <Row>
          <Button
            variant="primary"
            icon="check"
            pending={write.isPending && asked === 'approve'}
            disabled={write.isPending && asked !== 'approve'}
            onClick={() => decide('approve')}
          >
            {t.approve}
          </Button>
          <Button
            variant="danger"
            pending={write.isPending && asked === 'refuse'}
            disabled={write.isPending && asked !== 'refuse'}
            onClick={() => decide('refuse')}
          >
            {t.refuse}
          </Button>
        </Row>
        <p>{t.follows[kind]}</p>
      </Stack>
    </DrawerSection>
  );
}
