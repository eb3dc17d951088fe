import { Segmented } from '../../../parts/form/segmented.tsx';
import { Split } from '../../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../../parts/page/error-note.tsx';
import { Page, PageHead } from '../../../parts/page/layout.tsx';
import { count } from '../../../parts/text/format.ts';
import { Status } from '../../../parts/text/status.tsx';
import { useTexts } from '../../../texts/language.ts';
import { Charts } from './charts.tsx';
import { useOverview } from './data.ts';
import { DoctorBadge, DoctorDrawer } from './doctor.tsx';
import { Health } from './health.tsx';
import { Money } from './money.tsx';
import css from './overview.module.css';
import { operatorOverviewRoute, PERIODS } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { Tiles } from './tiles.tsx';
import { TopAccounts } from './top-accounts.tsx';
import { Waiting } from './waiting.tsx';

/** How the platform does: traffic, errors, money, vendors, and what waits for the operator. */
export function OperatorOverview() {
  const t = useTexts({ en, zh });
  const { period = '24h', by, doctor } = operatorOverviewRoute.useSearch();
  const navigate = operatorOverviewRoute.useNavigate();
  const shown = useOverview(period);
  const running = shown.nodes?.reduce((sum, node) => sum + node.active_calls, 0);
  const close = () => void navigate({ search: (now) => ({ ...now, doctor: undefined }) });
  return (
    <Split drawer={doctor === 'open' && <DoctorDrawer onClose={close} />}>
      <Page>
        <PageHead
          title={t.title}
          lead={running !== undefined && <Status tone="live">{t.running(count(running), running)}</Status>}
        >
          <DoctorBadge isShort={doctor !== undefined} />
          <Segmented
            label={t.period}
            value={period}
            onChange={(next) =>
              void navigate({ search: (now) => ({ ...now, period: next === '24h' ? undefined : next }) })
            }
            options={PERIODS.map((value) => ({ value, label: t.periods[value] }))}
          />
        </PageHead>
        {shown.failed !== undefined && (
          <ErrorNote
            cause={t.cannotRead}
            requestId={shown.failed.error?.requestId}
            onRetry={() => void shown.failed?.refetch()}
            retrying={shown.failed.isFetching}
          />
        )}
        <div className={css.frame}>
          <Tiles shown={shown} columns={doctor === undefined ? 5 : 3} />
          <Charts shown={shown} period={period} />
          {(shown.overview !== undefined || shown.failed !== undefined) && (
            <div className={css.two}>
              <div>
                <Money
                  shown={shown}
                  period={period}
                  by={by ?? 'vendor'}
                  onBy={(next) =>
                    void navigate({
                      search: (now) => ({ ...now, by: next === 'vendor' ? undefined : next }),
                      replace: true,
                    })
                  }
                />
                <TopAccounts rows={shown.accounts} period={period} />
              </div>
              <div>
                <Health shown={shown} />
                <Waiting waiting={shown.overview?.waiting} />
              </div>
            </div>
          )}
        </div>
      </Page>
    </Split>
  );
}
