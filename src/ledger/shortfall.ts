import { formatMicro } from '../kernel/money.ts';
import { inputTokens, outputTokens, type Usage } from '../kernel/usage.ts';

/**
 * What the funds lacked: Credits (and balance, where it counts), room under the monthly cap, or the month
 * itself.
 */
export type ShortOf = 'credits' | 'cap' | 'month-over';

/** What the call was expected to use at most: its hold was made of it. */
export interface Expected {
  readonly inputTokens: number;
  /** All answers together, as the vendor was told or the model allows. */
  readonly outputTokens: number;
  readonly images: number;
}

/** Why a call cost what nobody paid. */
export type ShortfallCause =
  | 'input-beyond-estimate'
  | 'output-beyond-bound'
  | 'images-beyond-asked'
  | 'held-too-little'
  | 'funds-gone';

/** One call that was not paid in full, as the books tell it. */
export interface Shortfall {
  readonly callId: string;
  readonly accountId: number;
  readonly model: string;
  readonly vendor: string;
  readonly usage: Usage;
  readonly chargeMicro: bigint;
  readonly heldMicro: bigint;
  readonly shortfallMicro: bigint;
  /** Nothing in books from before these were kept. */
  readonly of: ShortOf | undefined;
  readonly expected: Expected | undefined;
}

const LACKING: Readonly<Record<ShortOf, string>> = {
  credits: 'the account had nothing left to pay the rest',
  cap: 'the monthly cap left no room for the rest',
  'month-over': 'the month it was held in was over, and what its cap had left was no longer known',
};

export function listCauses(shortfall: Shortfall): readonly ShortfallCause[] {
  const { usage, expected, chargeMicro, heldMicro } = shortfall;
  if (chargeMicro <= heldMicro) return ['funds-gone'];
  const causes: ShortfallCause[] = [];
  if (expected !== undefined) {
    if (inputTokens(usage) > expected.inputTokens) causes.push('input-beyond-estimate');
    if (outputTokens(usage) > expected.outputTokens) causes.push('output-beyond-bound');
    if (usage.images > expected.images) causes.push('images-beyond-asked');
  }
  return causes.length === 0 ? ['held-too-little'] : causes;
}

/** One line for an operator: who was short of what, and why. */
export function describeShortfall(shortfall: Shortfall): string {
  const { callId, accountId, model, vendor, chargeMicro, heldMicro, shortfallMicro, of } = shortfall;
  const causes = listCauses(shortfall).map((cause) => describeCause(cause, shortfall));
  const lacking = of === undefined ? '' : `; ${LACKING[of]}`;
  return (
    `call ${callId} of account ${accountId} (model ${model}, vendor ${vendor}): ${formatMicro(shortfallMicro)} of ` +
    `${formatMicro(chargeMicro)} Credits not paid, ${formatMicro(heldMicro)} were held: ${causes.join(', and ')}${lacking}`
  );
}

function describeCause(cause: ShortfallCause, { usage, expected, vendor }: Shortfall): string {
  switch (cause) {
    case 'input-beyond-estimate':
      return `${vendor} counted ${inputTokens(usage)} input tokens where ${expected?.inputTokens} were estimated`;
    case 'output-beyond-bound':
      return `${vendor} made ${outputTokens(usage)} output tokens under a bound of ${expected?.outputTokens}`;
    case 'images-beyond-asked':
      return `${vendor} made ${usage.images} images where ${expected?.images} were asked for`;
    case 'held-too-little':
      return 'less was held than the call could cost';
    case 'funds-gone':
      return (
        'what was held for it was gone: an operator took it, or calls that cost more than they held while the gate ' +
        'could not be asked'
      );
  }
}
