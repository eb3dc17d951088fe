import { fileAddress, useApi } from '../../api/api.ts';
import { useSettings } from '../../app/settings.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Tile, Tiles } from '../../parts/figures/tiles.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Columns, Page, PageHead } from '../../parts/page/layout.tsx';
import { Skeleton } from '../../parts/page/skeleton.tsx';
import { count, credits, money } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { Money } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { daysLeftInMonth, monthName } from '../../parts/text/times.ts';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { Exchange } from './exchange.tsx';
import { HowToGetBalance } from './how-to-get-balance.tsx';
import { Ledger } from './ledger.tsx';
import { Payment } from './payment.tsx';
import { walletRoute } from './route.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import css from './wallet.module.css';

export function Wallet() {
  const t = useTexts({ en, zh });
  const { pool } = walletRoute.useSearch();
  const rate = useSettings()?.credits_per_yuan;
  return (
    <Page>
      <PageHead title={t.title} lead={rate === undefined ? '\u00a0' : t.lead(count(rate))}>
        <AnchorButton
          icon="download"
          href={fileAddress('exportBalanceChanges', { query: { ...(pool !== undefined && { pool }) } })}
          download
        >
          {t.csv}
        </AnchorButton>
      </PageHead>
      <Funds />
      <Columns
        side={
          <>
            <Exchange />
            <Payment />
            <HowToGetBalance />
          </>
        }
      >
        <Ledger />
      </Columns>
    </Page>
  );
}

function Funds() {
  const t = useTexts({ en, zh });
  const funds = useApi('getBalanceAndSwitches', {});
  const data = funds.data?.data;
  if (funds.isError && data === undefined) {
    return (
      <ErrorNote
        cause={t.unread}
        requestId={funds.error.requestId}
        onRetry={() => void funds.refetch()}
        retrying={funds.isFetching}
      />
    );
  }
  const amount = (text: string | undefined, write: (amount: string) => string) =>
    text === undefined ? <Skeleton width="60%" height="1lh" /> : <Money dimDecimals>{write(text)}</Money>;
  return (
    <Tiles label={t.funds}>
      <Tile label={t.balance} value={amount(data?.balance, money)} note={<LastTopUp />} />
      <Tile label={t.credits} value={amount(data?.credits, credits)} note={<Running />} />
      <Spent spent={data?.month_spent} cap={data?.extra_api_quota} />
    </Tiles>
  );
}

/** The newest entries of balance are few: a top-up is among them, or long ago. */
const LOOKED_AT = 20;

function LastTopUp() {
  const t = useTexts({ en, zh });
  const entries = useApi('listBalanceChanges', { query: { pool: 'balance', size: LOOKED_AT } }).data;
  const last = entries?.data.find(({ kind }) => kind === 'top_up');
  if (last === undefined) return entries === undefined ? null : t.noTopUp;
  return (
    <>
      {t.lastTopUp(money(last.change))} <Time at={last.created_at} />
    </>
  );
}

function Running() {
  const t = useTexts({ en, zh });
  const scopes = useApi('getLimits', {}).data?.data.scopes;
  const running = scopes?.find(({ scope }) => scope === 'account')?.policy?.concurrency_used ?? 0;
  return running === 0 ? t.noCalls : t.running(running);
}

function Spent({ spent, cap }: { readonly spent: string | undefined; readonly cap: string | undefined }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const now = useNow(60_000);
  const label = t.spent(monthName(now, language));
  if (spent === undefined || cap === undefined) {
    return (
      <Tile label={label} value={<Skeleton width="60%" height="1lh" />} note={null}>
        <div className={css.track} />
      </Tile>
    );
  }
  // For the width of the bar alone. What is written are the server's digits.
  const ratio = Number(cap) === 0 ? 0 : Math.min(1, Number(spent) / Number(cap));
  const tone = ratio >= 1 ? css.full : ratio >= 0.8 ? css.high : undefined;
  return (
    <Tile
      label={label}
      value={<Money dimDecimals>{money(spent)}</Money>}
      note={
        <span className={css.capLine}>
          <span>{Number(cap) === 0 ? t.noCap : t.ofCap(money(cap))}</span>
          <span>{t.daysLeft(daysLeftInMonth(now))}</span>
        </span>
      }
    >
      {Number(cap) === 0 ? (
        <div className={css.track} />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled alike in every browser
        <div
          role="meter"
          aria-label={t.cap}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(ratio * 100)}
          aria-valuetext={`${money(spent)} / ${money(cap)}`}
          className={css.track}
        >
          <i className={tone} style={{ width: `${ratio * 100}%` }} />
        </div>
      )}
    </Tile>
  );
}
