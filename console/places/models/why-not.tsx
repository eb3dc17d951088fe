import { useApi } from '../../api/api.ts';
import { useProfile } from '../../app/session.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import { Mono } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import type { Model } from './catalogue.ts';
import css from './models.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** Why a call would be refused, and the step that changes it. */
export function WhyNot({ model }: { readonly model: Model }) {
  const t = useTexts({ en, zh });
  const profile = useProfile();
  const { restriction, required_level: level } = model.first;
  const isPlan = restriction === 'plan';
  const plans = useApi('listOfferedPlans', {}, { enabled: isPlan }).data?.data;
  const plan = plans?.find((each) => each.level >= level);
  const names = isPlan ? t.planLevels : t.verificationLevels;
  const needed = isPlan && plan !== undefined ? plan.name : (names[Math.min(level, names.length) - 1] ?? '');
  return (
    <div className={css.why}>
      <Icon name="lock" />
      <div>
        <b>{profile === undefined ? t.restricted : isPlan ? t.notWithPlan : t.notVerified}</b>
        <p>
          {isPlan ? t.asksPlan(needed) : t.asksVerification(needed)}{' '}
          {profile !== undefined &&
            (isPlan ? t.yoursIs(profile.plan ?? t.noPlan) : t.levelIs(t.levels[profile.verification]))}{' '}
          {t.refusedWith} <Mono>40203</Mono>
          {t.costsNothing}
        </p>
        {profile === undefined ? (
          <LinkButton
            size="sm"
            variant="primary"
            to="/signin"
            search={{ next: `/models?model=${model.id}` } as never}
          >
            {t.signIn}
          </LinkButton>
        ) : isPlan ? (
          <LinkButton size="sm" variant="primary" to="/plan">
            {t.seePlans}
          </LinkButton>
        ) : (
          <LinkButton size="sm" variant="primary" to="/settings" hash="verification">
            {t.verify}
          </LinkButton>
        )}
      </div>
    </div>
  );
}
