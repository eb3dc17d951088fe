import type { Account } from '../../accounts/contract.ts';
import { currentSubscription } from '../../accounts/subscription.ts';
import type { Model } from '../../catalog/contract.ts';
import { unreachable } from '../../kernel/assert.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';

const VERIFICATION_NAMES = ['', 'personal verification', 'enterprise verification'];
const PLAN_NAMES = ['', 'PLUS', 'PRO', 'PROMAX'];

/**
 * Rule S-19: whether the model is admitted to the account, from the account's state of this moment. BYOK does
 * not exempt: admission limits the model, not who pays.
 */
export function admit(
  model: Pick<Model, 'modelId' | 'restriction'>,
  account: Pick<Account, 'userType' | 'subscriptions'>,
  nowMs: number,
): Refusal | undefined {
  const { kind, level } = model.restriction;
  // Rule 3: a restriction set without a threshold lets everybody pass.
  if (kind === 'none' || level <= 0) return undefined;
  switch (kind) {
    case 'verification': {
      if (account.userType >= level) return undefined;
      const name = VERIFICATION_NAMES[Math.min(level, VERIFICATION_NAMES.length - 1)];
      return refuse('modelNotAdmitted', { message: `${name} required to use model ${model.modelId}` });
    }
    case 'plan': {
      if ((currentSubscription(account, nowMs)?.plan.level ?? 0) >= level) return undefined;
      const name = PLAN_NAMES[Math.min(level, PLAN_NAMES.length - 1)];
      return refuse('modelNotAdmitted', {
        message: `subscription to ${name} required to use model ${model.modelId}`,
      });
    }
    default:
      return unreachable(kind);
  }
}
