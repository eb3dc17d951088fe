import { type Data, type Row, useApi } from '../../api/api.ts';
import { useProfile } from '../../app/session.ts';
import { useSettings } from '../../app/settings.ts';
import { LinkButton } from '../../parts/button.tsx';
import type { AttentionItem } from '../../parts/page/attention.tsx';
import { money } from '../../parts/text/format.ts';
import { useNow } from '../../parts/text/now.ts';
import { Mono } from '../../parts/text/text.tsx';
import { relativeTime, toDate } from '../../parts/text/times.ts';
import { type Language, useLanguage, useTexts } from '../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

type Texts = typeof en.attention;

/** What the items are made of, and for whom. */
interface Told {
  readonly t: Texts;
  readonly now: number;
  readonly language: Language;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;
const CAP_NEAR = 0.8;
/** Keys that expired longer ago are no news. */
const EXPIRED_DAYS = 3;
const PAGE = { query: { size: 100 } };

interface Remedy {
  readonly to: '/wallet' | '/credentials' | '/settings' | '/plan';
  readonly label: string;
}

function button({ to, label }: Remedy) {
  return (
    <LinkButton size="xs" to={to}>
      {label}
    </LinkButton>
  );
}

function daysLeft(at: string, now: number): number {
  return (toDate(at).getTime() - now) / DAY_MS;
}

interface Funds extends Data<'getBalanceAndSwitches'> {
  /** Credits of the last seven days: an estimate of the pace, shown nowhere. */
  readonly pace: number | undefined;
  readonly creditsPerYuan: number;
}

function fundItems(funds: Funds, { t }: Told): readonly AttentionItem[] {
  const [credits, balance] = [Number(funds.credits), Number(funds.balance)];
  const { auto_exchange: isAuto, extra_api_quota: cap, month_spent: spent, pace = 0 } = funds;
  const within = credits + (isAuto ? balance * funds.creditsPerYuan : 0);
  const items: AttentionItem[] = [];
  const action = button({ to: '/wallet', label: balance > 0 ? t.exchange : t.wallet });
  if (within <= 0) {
    items.push({
      ...{ key: 'funds', tone: 'bad', icon: 'wallet', title: t.creditsGone, text: t.creditsGoneText, action },
    });
  } else if (pace > 0 && within / (pace / SOON_DAYS) < SOON_DAYS) {
    const days = Math.max(1, Math.round(within / (pace / SOON_DAYS)));
    items.push({
      ...{ key: 'funds', tone: 'warn', icon: 'wallet', title: t.fundsLast(days) },
      ...{ text: isAuto ? t.autoOn(money(funds.balance)) : t.autoOff, action },
    });
  }
  const ratio = Number(cap) === 0 ? 0 : Number(spent) / Number(cap);
  if (ratio >= CAP_NEAR) {
    items.push({
      ...{ key: 'cap', tone: ratio >= 1 ? 'bad' : 'warn', icon: 'wallet' },
      ...{ title: ratio >= 1 ? t.capReached : t.capNear, text: t.capText(money(spent), money(cap)) },
      action: button({ to: '/wallet', label: t.raise }),
    });
  }
  return items;
}

function keyItems(keys: readonly Row<'listKeys'>[], { t, now, language }: Told): readonly AttentionItem[] {
  return keys.flatMap(({ id, name, status, expires_at: end, last_used_at: used }) => {
    if (status !== 'enabled' || end === null) return [];
    const days = daysLeft(end, now);
    if (days > SOON_DAYS || days < -EXPIRED_DAYS) return [];
    const when = relativeTime(end, now, language);
    return [
      {
        ...{
          key: `key-${id}`,
          tone: days < 0 ? ('bad' as const) : ('warn' as const),
          icon: 'clock' as const,
        },
        title: (
          <>
            {t.keyBefore} <Mono>{name}</Mono> {days < 0 ? t.keyExpired(when) : t.keyExpires(when)}
          </>
        ),
        text: used === null ? t.keyUnused : t.keyUsed(relativeTime(used, now, language)),
        action: (
          <LinkButton size="xs" to="/keys" search={{ open: id }}>
            {t.extend}
          </LinkButton>
        ),
      },
    ];
  });
}

function credentialItems(
  credentials: readonly Row<'listByokCredentials'>[],
  { t, now, language }: Told,
): readonly AttentionItem[] {
  return credentials.flatMap(({ id, name, status, failing_since: since, last_outcome: outcome }) => {
    if (status !== 'enabled' || since === null) return [];
    return [
      {
        ...{ key: `credential-${id}`, tone: 'bad' as const, icon: 'alert' as const },
        title: (
          <>
            {t.credentialBefore} <Mono>{name}</Mono> {t.credentialFails}
          </>
        ),
        text: t.credentialText(outcome ?? '', relativeTime(since, now, language)),
        action: button({ to: '/credentials', label: t.test }),
      },
    ];
  });
}

function planItems(all: readonly Row<'listSubscriptions'>[], { t, now, language }: Told) {
  const active = all.find(({ status }) => status === 'active');
  if (active === undefined || all.some(({ status }) => status === 'upcoming')) return [];
  if (daysLeft(active.ends_at, now) > SOON_DAYS) return [];
  const when = relativeTime(active.ends_at, now, language);
  const item: AttentionItem = {
    ...{
      key: 'plan',
      tone: 'warn',
      icon: 'layers',
      title: t.planEnds(active.plan_name ?? active.plan, when),
    },
    ...{ text: t.planEndsText, action: button({ to: '/plan', label: t.plan }) },
  };
  return [item];
}

/** Models wait for a verification that nobody has asked for, or that was refused. */
function useVerificationItem({ t }: Told): readonly AttentionItem[] | undefined {
  const isUnverified = useProfile()?.verification === 'unverified';
  const asked = useApi('getVerification', {}, { enabled: isUnverified });
  const latest = asked.data?.data.verification;
  const isAsked = latest === undefined || latest?.status === 'pending';
  const enabled = isUnverified && !isAsked;
  const prices = useApi(
    'listPrices',
    {},
    {
      ...{ enabled, staleTime: 60_000 },
      select: ({ data }) =>
        new Set(
          data.models.flatMap(({ model_id: id, restriction, refusal }) =>
            restriction === 'verification' && refusal !== null ? [id] : [],
          ),
        ).size,
    },
  );
  if (asked.isLoading || prices.isLoading) return undefined;
  const locked = prices.data;
  if (!enabled || locked === undefined || locked === 0) return [];
  if (latest?.status === 'refused') {
    return [
      {
        ...{ key: 'verification', tone: 'bad', icon: 'shield', title: t.refused },
        ...{ text: t.refusedText(latest.reason ?? t.verifyText) },
        action: button({ to: '/settings', label: t.again }),
      },
    ];
  }
  return [
    {
      ...{ key: 'verification', tone: 'info', icon: 'shield', title: t.verify(locked), text: t.verifyText },
      action: button({ to: '/settings', label: t.verifyAction }),
    },
  ];
}

const RANK = { bad: 0, warn: 1, info: 2 } as const;

/** What is wrong or will be soon, the worst first. Nothing until every answer is there. */
export function useAttention(): readonly AttentionItem[] | undefined {
  const t = useTexts({ en, zh }).attention;
  const told = { t, now: useNow(60_000), language: useLanguage() };
  const account = useApi('getBalanceAndSwitches', {});
  const week = useApi('getUsageOverTime', { query: { granularity: 'day' } }, { staleTime: 60_000 });
  const settings = useSettings();
  const keys = useApi('listKeys', PAGE);
  const credentials = useApi('listByokCredentials', PAGE);
  const plans = useApi('listSubscriptions', {});
  const verification = useVerificationItem(told);
  if ([account, week, keys, credentials, plans].some(({ isPending }) => isPending)) return undefined;
  if (verification === undefined) return undefined;
  const pace = week.data?.data.reduce((sum, { credits }) => sum + Number(credits), 0);
  const funds = account.data && {
    ...account.data.data,
    ...{ pace, creditsPerYuan: settings?.credits_per_yuan ?? 0 },
  };
  return [
    ...(funds === undefined ? [] : fundItems(funds, told)),
    ...credentialItems(credentials.data?.data ?? [], told),
    ...keyItems(keys.data?.data ?? [], told),
    ...planItems(plans.data?.data ?? [], told),
    ...verification,
  ].toSorted((one, other) => RANK[one.tone] - RANK[other.tone]);
}
