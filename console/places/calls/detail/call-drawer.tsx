import { useState } from 'react';
import { isForPlayground } from '../../../api/protocols.ts';
import { useCrumb } from '../../../app/crumb.ts';
import { MessageDialog } from '../../../app/message/message-dialog.tsx';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Drawer, DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { showToast } from '../../../parts/overlay/toast.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { CopyButton } from '../../../parts/text/copy-button.tsx';
import { Tag } from '../../../parts/text/status.tsx';
import { Cut, Mono, Row } from '../../../parts/text/text.tsx';
import { useTexts } from '../../../texts/language.ts';
import { isCallCode } from '../codes.en.ts';
import { useCallDetail } from '../data.ts';
import css from '../drawer.module.css';
import type { Walk } from '../list/walk.ts';
import { codeMeanings as meaningsEn } from '../meanings.en.ts';
import { codeMeanings as meaningsZh } from '../meanings.zh.ts';
import type { Call, CallDetail, Of } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';
import { CallReceipt } from './call-receipt.tsx';
import { CallSummary } from './call-summary.tsx';
import { CallTimeLine } from './call-time-line.tsx';
import { Refusal } from './refusal.tsx';

export interface CallDrawerProps {
  readonly of: Of;
  readonly requestId: string;
  /** What the list knows of it. It is shown until the rest is read. */
  readonly known: Call | undefined;
  readonly walk: Walk;
  readonly onClose: () => void;
}

/** One call with everything that is known of it. */
export function CallDrawer({ of, requestId, known, walk, onClose }: CallDrawerProps) {
  const t = useTexts({ en, zh }).drawer;
  const asked = useCallDetail(of, requestId);
  useCrumb(`${requestId.slice(0, 12)}…`);
  const call = asked.data ?? known;
  return (
    <Drawer
      label={t.label(requestId)}
      title={
        <>
          <Cut>
            <Mono>{requestId}</Mono>
          </Cut>
          <CopyButton text={requestId} label={t.copyId} />
        </>
      }
      onClose={onClose}
      onPrevious={walk.onPrevious}
      onNext={walk.onNext}
      foot={call !== undefined && <Foot of={of} call={call} detail={asked.data} />}
    >
      {call !== undefined && <CallSummary of={of} call={call} cost={asked.data?.cost} />}
      {asked.data !== undefined ? (
        <Detail of={of} call={asked.data} />
      ) : asked.error === null ? (
        <Loading />
      ) : asked.error.status === 404 ? (
        <Empty title={t.notFound}>{t.notFoundText}</Empty>
      ) : (
        <ErrorNote
          cause={t.cannotRead}
          requestId={asked.error.requestId}
          onRetry={() => void asked.refetch()}
          retrying={asked.isFetching}
        />
      )}
    </Drawer>
  );
}

function Loading() {
  return (
    <>
      <DrawerSection>
        <SkeletonLines lines={4} />
      </DrawerSection>
      <DrawerSection>
        <SkeletonLines lines={8} />
      </DrawerSection>
    </>
  );
}

function Detail({ of, call }: { readonly of: Of; readonly call: CallDetail }) {
  const isWhole = call.verdict === 'complete' || call.verdict === 'cut-by-client';
  return (
    <>
      {!isWhole && <Refusal of={of} call={call} />}
      {call.error_code !== null && <Meaning code={call.error_code} />}
      {(call.tries.length > 0 || call.verdict !== 'refused') && <CallTimeLine of={of} call={call} />}
      <Conversion call={call} />
      {call.receipt !== null && <CallReceipt of={of} receipt={call.receipt} />}
    </>
  );
}

/** What the code says of any call, not of this one alone. */
function Meaning({ code }: { readonly code: number }) {
  const t = useTexts({ en, zh }).drawer;
  const meanings = useTexts({ en: meaningsEn, zh: meaningsZh });
  if (!isCallCode(code)) return null;
  return (
    <DrawerSection title={t.meaning(String(code))}>
      <p className={css.meaning}>{meanings[code]}</p>
    </DrawerSection>
  );
}

/** What the vendor's protocol could not say. */
function Conversion({ call }: { readonly call: CallDetail }) {
  const all = useTexts({ en, zh });
  const t = all.conversion;
  const { protocol, upstream_protocol: upstream, dropped_fields: dropped } = call;
  if (dropped.length === 0 && (upstream === null || upstream === protocol)) return null;
  const note =
    dropped.length === 0 ? t.nothing : t.dropped(dropped.length, all.protocols[upstream ?? protocol]);
  return (
    <DrawerSection title={t.title} note={note}>
      <Row wrap>
        {dropped.map((field) => (
          <Tag key={field} mono>
            {field}
          </Tag>
        ))}
        <a className={css.more} href="/docs" target="_blank" rel="noreferrer">
          {t.more}
        </a>
      </Row>
    </DrawerSection>
  );
}

interface FootProps {
  readonly of: Of;
  readonly call: Call;
  readonly detail: CallDetail | undefined;
}

function Foot({ of, call, detail }: FootProps) {
  const t = useTexts({ en, zh }).drawer;
  const [isReporting, setReporting] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(JSON.stringify(detail ?? call, undefined, 2)).then(
      () => showToast({ text: t.copied }),
      () => showToast({ text: t.copyFailed }),
    );
  const code = call.error_code;
  return (
    <>
      {of === 'own' && code === null && isForPlayground(call.protocol) && (
        <LinkButton
          size="sm"
          icon="chat"
          to="/playground"
          search={{ model: call.model_used, protocol: call.protocol } as never}
        >
          {t.playground}
        </LinkButton>
      )}
      <Button variant="ghost" size="sm" icon="code" onClick={copy}>
        {t.copyJson}
      </Button>
      {of === 'own' && (
        <Button variant="ghost" size="sm" className={css.report} onClick={() => setReporting(true)}>
          {t.report}
        </Button>
      )}
      <MessageDialog
        title={t.report}
        call={call.request_id}
        open={isReporting}
        onClose={() => setReporting(false)}
      />
    </>
  );
}
