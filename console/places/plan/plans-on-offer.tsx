import { type Data, type Row, useApi } from '../../api/api.ts';
import { AskOperator } from '../../app/message/ask-operator.tsx';
import { useProfile } from '../../app/session.ts';
import { classes } from '../../parts/classes.ts';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Section } from '../../parts/page/layout.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { count, money } from '../../parts/text/format.ts';
import { Pill } from '../../parts/text/status.tsx';
import { Mono, Unit } from '../../parts/text/text.tsx';
import { type Language, useLanguage, useTexts } from '../../texts/language.ts';
import css from './plan.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { type Dimension, shortFigure, windowWords } from './windows.ts';

type Plan = Row<'listOfferedPlans'>;

/** One line of the table: a name and what each plan has of it. */
interface Line {
  readonly key: string;
  readonly name: string;
  readonly note?: string;
  readonly cells: readonly (string | undefined)[];
}

export function PlansOnOffer() {
  const t = useTexts({ en, zh });
  const answer = useApi('listOfferedPlans', {});
  const plans = answer.data?.data;
  return (
    <Section
      title={t.onOffer}
      note={t.onOfferNote}
      right={<AskOperator title={t.ask.plan} message={t.ask.planMessage} />}
    >
      {answer.isError && (
        <ErrorNote
          cause={t.plansUnread}
          requestId={answer.error.requestId}
          onRetry={() => void answer.refetch()}
        />
      )}
      {answer.isPending && <SkeletonLines lines={8} />}
      {plans !== undefined &&
        (plans.length === 0 ? (
          <Empty plain title={t.noPlans}>
            {t.noPlansNote}
          </Empty>
        ) : (
          <PlanTable plans={plans} />
        ))}
    </Section>
  );
}

function PlanTable({ plans }: { readonly plans: readonly Plan[] }) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const own = useProfile()?.plan ?? null;
  const models = useApi('listPrices', {}).data?.data.models;
  const scopes = useApi('getLimits', {}).data?.data.scopes;
  const inForce = scopes?.find(({ scope }) => scope === 'account')?.policy ?? null;
  // A plan without a policy leaves the account its limits. For the own plan they are known.
  const policies = plans.map(({ code, policy }) => policy ?? (code === own ? inForce : null));
  const mine = (plan: Plan) => (plan.code === own ? css.mine : undefined);
  const lines = [
    ...coverageLines(plans, t),
    ...limitLines(policies, t, language),
    ...modelLines(plans, models, t),
  ];
  return (
    <table className={css.plans} aria-label={t.onOffer} style={{ ['--plans' as string]: plans.length }}>
      <thead>
        <tr>
          <td />
          {plans.map((plan) => (
            <th key={plan.code} scope="col" className={mine(plan)}>
              <b>{plan.name}</b>
              {plan.code === own && <Pill tone="accent">{t.yours}</Pill>}
              <span className={css.price}>
                {money(plan.price)}
                <Unit>{t.forDays(plan.days)}</Unit>
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.key}>
            <th scope="row">
              {line.name}
              {line.note !== undefined && <small>{line.note}</small>}
            </th>
            {plans.map((plan, at) => (
              <td key={plan.code} className={mine(plan)}>
                {line.cells[at] ?? <span className={css.none}>–</span>}
              </td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">{t.policyRow}</th>
          {plans.map((plan, at) => (
            <td key={plan.code} className={classes(mine(plan), css.last)}>
              {policies[at] == null ? t.accountLimits : <Mono>{policies[at].name}</Mono>}
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

const unique = <Value,>(values: readonly Value[]): readonly Value[] => [...new Set(values)];

function coverageLines(plans: readonly Plan[], t: typeof en): readonly Line[] {
  const lengths = unique(plans.flatMap(({ coverage }) => coverage.windows.map(({ seconds }) => seconds)));
  return lengths
    .toSorted((one, other) => one - other)
    .map((seconds, at) => ({
      key: `coverage ${seconds}`,
      name: t.coversIn(windowWords(seconds, t)),
      ...(at === 0 && { note: t.atYourRates }),
      cells: plans.map(({ coverage }) => {
        const window = coverage.windows.find((each) => each.seconds === seconds);
        return window && money(window.amount);
      }),
    }));
}

function limitLines(policies: readonly Plan['policy'][], t: typeof en, language: Language): readonly Line[] {
  const windows = policies.flatMap((policy) => policy?.windows ?? []);
  const names = unique(windows.map(({ dimension, seconds }) => `${dimension} ${seconds}`));
  const lines = names.map((name) => {
    const [dimension, seconds] = name.split(' ') as [Dimension, string];
    return {
      key: name,
      name: t.limitIn(t.dimensions[dimension], windowWords(Number(seconds), t)),
      cells: policies.map((policy) => {
        if (policy === null) return t.accountLimits;
        const found = policy.windows.find((each) => `${each.dimension} ${each.seconds}` === name);
        return found && shortFigure(found.limit, dimension, language);
      }),
    };
  });
  const atOnce = policies.map((policy) => {
    if (policy === null) return t.accountLimits;
    return policy.concurrency === null ? undefined : count(policy.concurrency);
  });
  return [...lines, { key: 'at once', name: t.atOnce, cells: atOnce }];
}

type Price = Data<'listPrices'>['models'][number];

/** What a plan opens, of the models that nothing else keeps from this account. */
function modelLines(
  plans: readonly Plan[],
  prices: readonly Price[] | undefined,
  t: typeof en,
): readonly Line[] {
  if (prices === undefined) return [];
  const models = [...new Map(prices.map((price) => [price.model_id, price])).values()];
  const locked = models.filter(({ restriction }) => restriction === 'plan');
  const unverified = models.filter(
    ({ restriction, refusal }) => restriction === 'verification' && refusal !== null,
  );
  const level = Math.min(...unverified.map(({ required_level: required }) => required));
  const mayCall = (planLevel: number) =>
    models.filter(({ restriction, required_level: required, refusal }) =>
      restriction === 'plan' ? required <= planLevel : refusal === null,
    ).length;
  const names = locked.map(({ model_id: id }) => id).slice(0, 3);
  const notes = [
    ...(locked.length > 0 ? [t.lockedModels(names.join(', '))] : []),
    ...(unverified.length > 0 ? [t.needVerification(unverified.length, level)] : []),
  ];
  return [
    {
      key: 'models',
      name: t.mayCall,
      ...(notes.length > 0 && { note: notes.join(t.semicolon) }),
      cells: plans.map((plan) => t.modelCount(mayCall(plan.level))),
    },
    {
      key: 'covers',
      name: t.coversModels,
      cells: plans.map(({ coverage }) =>
        coverage.models === '*' ? t.everyModelShort : coverage.models.join(', '),
      ),
    },
  ];
}
