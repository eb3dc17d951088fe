import { useApi } from '../../api/api.ts';
import { Meter, type MeterProps } from '../../parts/figures/meter.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { money } from '../../parts/text/format.ts';
import { Mono } from '../../parts/text/text.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import css from './plan.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { type Limits, type Policy, ratioOf, shortFigure, type Window, windowWords } from './windows.ts';

/** What is used of each window now. It moves with calls, and opens again when its time is over. */
export function LiveWindows() {
  const t = useTexts({ en, zh });
  const limits = useApi('getLimits', {});
  const scopes = limits.data?.data.scopes ?? [];
  const own = scopes.find(({ scope }) => scope === 'account')?.policy ?? null;
  const keys = scopes.filter(({ scope, policy }) => scope === 'key' && policy !== null);
  const refresh = () => void limits.refetch();
  return (
    <Section
      title={t.windows}
      urgent
      right={
        own !== null && (
          <span className={css.policy}>
            {t.policy} <Mono>{own.name}</Mono>
          </span>
        )
      }
    >
      {limits.isError && limits.data === undefined && (
        <ErrorNote cause={t.limitsUnread} requestId={limits.error.requestId} onRetry={refresh} />
      )}
      {limits.isPending && <SkeletonLines lines={6} />}
      <CoverageMeters coverage={limits.data?.data.coverage ?? null} onReset={refresh} />
      {own !== null && <PolicyMeters policy={own} onReset={refresh} />}
      {limits.data !== undefined && own === null && <p className={css.words}>{t.noLimits}</p>}
      {keys.map(({ key_id: id, key_name: name, policy }) => (
        <div key={id} className={css.keyLimits}>
          <h3>
            {t.ofKey} <b>{name}</b>
          </h3>
          {policy !== null && <PolicyMeters policy={policy} onReset={refresh} />}
        </div>
      ))}
    </Section>
  );
}

interface Shown {
  readonly used: string | null;
  readonly ends_at: string | null;
  readonly seconds: number;
}

/** Nothing runs before the first call: the window then begins with it. */
function timesOf(window: Shown, t: typeof en, onReset: () => void): Partial<MeterProps> {
  if (window.used === null) return { note: t.notKnown };
  if (window.ends_at === null) return { note: t.beginsWithCall };
  return { resetsAt: window.ends_at, windowMs: window.seconds * 1_000, onReset };
}

interface CoverageProps {
  readonly coverage: Limits['coverage'];
  readonly onReset: () => void;
}

function CoverageMeters({ coverage, onReset }: CoverageProps) {
  const t = useTexts({ en, zh });
  return coverage?.windows.map((window) => (
    <Meter
      key={window.seconds}
      label={t.coverage}
      window={windowWords(window.seconds, t)}
      used={money(window.used)}
      limit={money(window.amount)}
      ratio={ratioOf(window.used, window.amount)}
      {...timesOf(window, t, onReset)}
    />
  ));
}

interface PolicyProps {
  readonly policy: Policy;
  readonly onReset: () => void;
}

function PolicyMeters({ policy, onReset }: PolicyProps) {
  const t = useTexts({ en, zh });
  const running = policy.concurrency_used === null ? null : String(policy.concurrency_used);
  return (
    <>
      {policy.windows.map((window) => (
        <WindowMeter key={`${window.dimension} ${window.seconds}`} window={window} onReset={onReset} />
      ))}
      {policy.concurrency !== null && (
        <Meter
          label={t.atOnce}
          used={running ?? '–'}
          limit={String(policy.concurrency)}
          ratio={ratioOf(running, String(policy.concurrency))}
          note={t.atOnceNote}
        />
      )}
    </>
  );
}

function WindowMeter({ window, onReset }: { readonly window: Window; readonly onReset: () => void }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const { dimension, used, limit, seconds } = window;
  return (
    <Meter
      label={t.dimensions[dimension]}
      window={windowWords(seconds, t)}
      used={used === null ? '–' : shortFigure(used, dimension, language)}
      limit={shortFigure(limit, dimension, language)}
      ratio={ratioOf(used, limit)}
      {...timesOf(window, t, onReset)}
    />
  );
}
