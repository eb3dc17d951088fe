import { Link } from '@tanstack/react-router';
import { type Data, useApi } from '../../../api/api.ts';
import { classes } from '../../../parts/classes.ts';
import { FactList } from '../../../parts/figures/facts.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Drawer, DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Stack } from '../../../parts/page/layout.tsx';
import { SkeletonLines } from '../../../parts/page/skeleton.tsx';
import { count, credits, duration, written } from '../../../parts/text/format.ts';
import { Mono, Sub } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from './overview.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Report = Data<'checkLedger'>;

const REFRESH_MS = 60_000;
const SOON_MS = 3_000;

/** A first check that still runs is asked for again soon. */
function useDoctor() {
  return useApi(
    'checkLedger',
    {},
    {
      staleTime: 30_000,
      refetchInterval: ({ state }) => (state.data?.data.state === 'running' ? SOON_MS : REFRESH_MS),
    },
  );
}

const TONES = { sound: css.sound, findings: css.findings, running: undefined, unfinished: css.unfinished };

/** Whether the ledger is correct. It opens the findings. */
export function DoctorBadge({ isShort }: { readonly isShort: boolean }) {
  const t = useTexts({ en, zh });
  const report = useDoctor().data?.data;
  return (
    <Link
      className={classes(css.doctor, isShort && css.short, report && TONES[report.state])}
      from="/operator"
      to="/operator"
      search={(now) => ({ ...now, doctor: 'open' as const })}
      title={t.doctor.open}
    >
      <Icon name={report?.state === 'findings' ? 'alert' : 'shield'} size={20} />
      <span>
        <b>{t.doctor.states[report?.state ?? 'running']}</b>
        <small>
          {report === undefined || report.checked_at === null ? (
            t.doctor.firstCheck
          ) : (
            <>
              {t.doctor.checked(count(report.checks))} <Time at={report.checked_at} />,{' '}
              {t.doctor.found(count(report.findings.length), report.findings.length)}
            </>
          )}
        </small>
      </span>
    </Link>
  );
}

export function DoctorDrawer({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts({ en, zh });
  const doctor = useDoctor();
  const report = doctor.data?.data;
  return (
    <Drawer label={t.doctor.title} title={t.doctor.title} size="narrow" onClose={onClose}>
      {doctor.isError && report === undefined ? (
        <ErrorNote
          cause={t.doctor.cannotRead}
          requestId={doctor.error.requestId}
          onRetry={() => void doctor.refetch()}
        />
      ) : report === undefined ? (
        <SkeletonLines lines={5} />
      ) : (
        <>
          <Summary report={report} />
          <Findings report={report} />
          <Shortfalls shortfalls={report.shortfalls} />
        </>
      )}
    </Drawer>
  );
}

function Summary({ report }: { readonly report: Report }) {
  const t = useTexts({ en, zh });
  const { checked_at: checkedAt, duration_ms: durationMs, checks, state } = report;
  return (
    <DrawerSection title={t.doctor.states[state]}>
      <FactList
        facts={[
          { name: t.doctor.checks, value: count(checks) },
          { name: t.doctor.last, value: checkedAt === null ? '–' : <Time at={checkedAt} look="exact" /> },
          { name: t.doctor.took, value: written(duration(durationMs)) },
        ]}
      />
    </DrawerSection>
  );
}

function Findings({ report: { findings, state } }: { readonly report: Report }) {
  const t = useTexts({ en, zh });
  if (state === 'running') return null;
  return (
    <DrawerSection title={t.doctor.findings} note={count(findings.length)}>
      {findings.length === 0 ? (
        <Empty plain title={t.doctor.none}>
          {t.doctor.noneText}
        </Empty>
      ) : (
        <Stack gap={16}>
          {findings.map(({ check, subject, detail, promise, reading }) => (
            <article key={`${check} ${subject} ${detail}`} className={css.finding}>
              <h4>
                <Mono>{check}</Mono> <Sub>{subject}</Sub>
              </h4>
              <p>{detail}</p>
              <p>
                <b>{t.doctor.promise}</b> {promise}
              </p>
              <p>
                <b>{t.doctor.reading}</b> {reading}
              </p>
            </article>
          ))}
        </Stack>
      )}
    </DrawerSection>
  );
}

/** No findings: such calls are booked as they were. */
function Shortfalls({ shortfalls }: { readonly shortfalls: Report['shortfalls'] }) {
  const t = useTexts({ en, zh });
  if (shortfalls.calls === 0) return null;
  return (
    <DrawerSection
      title={t.doctor.shortfalls}
      note={t.doctor.shortfallSum(count(shortfalls.calls), credits(shortfalls.credits))}
    >
      <Stack gap={16}>
        {shortfalls.newest.map((each) => (
          <article key={each.call_id} className={css.finding}>
            <h4>
              <Link to="/operator/calls" search={{ call: each.call_id }}>
                <Mono>{each.call_id}</Mono>
              </Link>
            </h4>
            <p>{t.doctor.shortfall(credits(each.charge), credits(each.held), credits(each.shortfall))}</p>
            <p>{each.detail}</p>
          </article>
        ))}
      </Stack>
    </DrawerSection>
  );
}
