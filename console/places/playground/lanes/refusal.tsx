import { Link } from '@tanstack/react-router';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { count, countDown, credits, money } from '../../../parts/text/format.ts';
import { useNow } from '../../../parts/text/now.ts';
import { Mono } from '../../../parts/text/text.tsx';
import { toDate } from '../../../parts/text/times.ts';
import { useLanguage } from '../../../texts/language.ts';
import { type LoggedCall, type LoggedFacts, useLoggedCall } from '../prices.ts';
import { usePlaygroundTexts } from '../texts.ts';
import css from '../turn.module.css';
import type { Problem } from './conversation.ts';

type Limit = NonNullable<NonNullable<LoggedCall['refusal']>['limit']>;

export interface RefusalNoteProps {
  readonly problem: Problem;
  readonly facts: LoggedFacts;
  readonly onAgain: (() => void) | undefined;
}

/** Why a call failed: the limit, what is used of it, when it opens again, and what helps. */
export function RefusalNote({ problem, facts, onAgain }: RefusalNoteProps) {
  const t = usePlaygroundTexts().refusal;
  const call = useLoggedCall(facts);
  const refusal = call?.refusal ?? undefined;
  const limit = refusal?.limit ?? undefined;
  const isRefused = call?.verdict === 'refused' || problem.status === 403 || problem.status === 429;
  const title = problem.status === 0 ? t.noAnswer : isRefused ? t.refused : t.failed;
  return (
    <div className={css.refusal} role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <b>{title}</b> {limit === undefined && problem.status !== 0 && problem.message}
        </p>
        {limit !== undefined && <LimitWords limit={limit} />}
        {limit?.resets_at != null && <OpensAgain at={limit.resets_at} />}
        {refusal?.remedy != null && <p className={css.remedy}>{refusal.remedy}</p>}
        <div className={css.refusalFoot}>
          {onAgain !== undefined && (
            <Button size="xs" icon="refresh" onClick={onAgain}>
              {t.again}
            </Button>
          )}
          {limit !== undefined && <Remedy limit={limit} />}
          {problem.requestId !== '' && (
            <Link to="/calls" search={{ call: problem.requestId }}>
              <Mono>{problem.requestId}</Mono>
            </Link>
          )}
        </div>
      </div>
    </div>
  );
}

function figureOf(value: string, unit: Limit['unit']): string {
  if (unit === 'yuan') return money(value);
  return unit === 'credits' ? credits(value) : count(value);
}

function LimitWords({ limit }: { readonly limit: Limit }) {
  const t = usePlaygroundTexts().refusal;
  const { dimension, unit, used, needed, seconds, scope, policy } = limit;
  const words = [
    t.used(figureOf(used, unit), figureOf(limit.limit, unit), t.limits[dimension]),
    ...(seconds === null ? [] : [t.within(t.seconds(seconds))]),
    ...(dimension === 'credits' || dimension === 'cap' ? [] : [t.scopes[scope]]),
    ...(policy === null ? [] : [t.policy(policy)]),
  ];
  return (
    <p>
      {words.join(', ')}
      {'. '}
      {needed !== null && t.needs(figureOf(needed, unit))}
    </p>
  );
}

function OpensAgain({ at }: { readonly at: string }) {
  const t = usePlaygroundTexts().refusal;
  const language = useLanguage();
  const left = toDate(at).getTime() - useNow();
  return <p>{left > 0 ? t.opensIn(countDown(left, language)) : t.open}</p>;
}

function Remedy({ limit }: { readonly limit: Limit }) {
  const t = usePlaygroundTexts().refusal;
  const isMoney = limit.dimension === 'credits' || limit.dimension === 'cap';
  return (
    <LinkButton size="xs" to={isMoney ? '/wallet' : '/plan'}>
      {isMoney ? t.toWallet : t.toLimits}
    </LinkButton>
  );
}
