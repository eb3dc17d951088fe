import type { Model } from '../catalog/contract.ts';
import { unreachable } from '../kernel/assert.ts';
import { type Refusal, refuse } from '../kernel/errors.ts';
import type { Account } from './contract.ts';
import { currentSubscription } from './subscription.ts';

const VERIFICATION_NAMES = ['', 'personal verification', 'enterprise verification'];
const PLAN_NAMES = ['', 'PLUS', 'PRO', 'PROMAX'];

/**
 * Rule S-19: whether the account may use the model, by the account's state at this moment. BYOK is no
 * exemption: admission limits the model, not the payer.
 */
export function admit(
  model: Pick<Model, 'modelId' | 'restriction'>,
  account: Pick<Account, 'userType' | 'subscriptions'>,
  nowMs: number,
): Refusal | undefined {
  const { kind, level } = model.restriction;
  // A required level of 0 or less lets every account pass.
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
