import { Link, type LinkProps } from '@tanstack/react-router';
import { type Data, useApi } from '../../api/api.ts';
import { Icon, type IconName } from '../../parts/icons/icon.tsx';
import { credits } from '../../parts/text/format.ts';
import { useCallableModels } from '../../snippets/callable-models.ts';
import { useTexts } from '../../texts/language.ts';
import css from './start.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** About what “Say hello” takes. */
const HELLO = { input_tokens: 12, output_tokens: 24 };

export function WithoutTerminal() {
  const { other: t } = useTexts({ en, zh });
  const { counts, models } = useCallableModels();
  return (
    <aside className={css.other}>
      <h2>{t.title}</h2>
      <Way icon="chat" to="/playground" name={t.playground} text={t.playgroundText} />
      <Way
        icon="cube"
        to="/models"
        name={t.models}
        text={counts === undefined ? '–' : t.modelsText(counts.all, counts.callable)}
      />
      <Way icon="plug" to="/credentials" name={t.credentials} text={t.credentialsText} />
      {models?.[0] !== undefined && <Means model={models[0].id} />}
    </aside>
  );
}

interface WayProps {
  readonly icon: IconName;
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: string;
  readonly text: string;
}

function Way({ icon, to, name, text }: WayProps) {
  return (
    <Link className={css.way} to={to}>
      <Icon name={icon} />
      <span>
        <b>{name}</b>
        <small>{text}</small>
      </span>
      <Icon name="right" size={14} />
    </Link>
  );
}

/** How much of the plan is left decides who pays: a window that is full pays for nothing. */
function coversNow(coverage: Data<'getLimits'>['coverage'], model: string): boolean {
  if (coverage === null) return false;
  if (coverage.models !== '*' && !coverage.models.includes(model)) return false;
  return coverage.windows.every(({ used, amount }) => Number(used ?? 0) < Number(amount));
}

/** What there is to pay with, and who pays for a hello: the plan, or Credits by the server's own quote. */
function Means({ model }: { readonly model: string }) {
  const { other: t } = useTexts({ en, zh });
  const funds = useApi('getBalanceAndSwitches', {}).data?.data;
  const quotes = useApi('quoteCall', { query: { model, ...HELLO } }, { staleTime: 60_000 }).data?.data;
  const limits = useApi('getLimits', {}).data?.data;
  const subscription = useApi('getLimitsOfSubscription', {}).data?.data.subscription;
  const calls = useApi('listCalls', { query: { size: 1 } }).data?.data;
  if (funds === undefined || limits === undefined || subscription === undefined) return null;
  const isCovered = subscription !== null && coversNow(limits.coverage, model);
  const [quote] = quotes ?? [];
  const isEmpty = /^-?0?(\.0*)?$/.test(funds.credits);
  const amount = calls?.length === 0 ? t.creditsAtFirst : t.credits;
  return (
    <div className={css.means}>
      <b>{isEmpty ? t.noCredits : amount(credits(funds.credits))}</b>
      <p>
        {isCovered && t.covered(subscription.plan_name, model)}
        {!isCovered && quote !== undefined && t.hello(model, credits(quote.credits))}{' '}
        {isEmpty && !isCovered && <Link to="/wallet">{t.wallet}</Link>}
      </p>
    </div>
  );
}
