import { formatMicro } from '../kernel/money.ts';
import { inputTokens, outputTokens, type Usage } from '../kernel/usage.ts';

/**
 * What was missing: Credits (and balance, if it counts), space under the monthly cap, or the month itself.
 */
export type ShortOf = 'credits' | 'cap' | 'month-over';

/** The maximum expected usage of the call, on which its hold is based. */
export interface Expected {
  readonly inputTokens: number;
  /** All answers together, as sent to the vendor or as the model allows. */
  readonly outputTokens: number;
  readonly images: number;
}

/** Why a call was not paid in full. */
export type ShortfallCause =
  | 'input-beyond-estimate'
  | 'output-beyond-bound'
  | 'images-beyond-asked'
  | 'held-too-little'
  | 'funds-gone';

/** One call that was not paid in full, as recorded. */
export interface Shortfall {
  readonly callId: string;
  readonly accountId: number;
  readonly model: string;
  readonly vendor: string;
  readonly usage: Usage;
  readonly chargeMicro: bigint;
  readonly heldMicro: bigint;
  readonly shortfallMicro: bigint;
  /** Absent in older records. */
  readonly of: ShortOf | undefined;
  readonly expected: Expected | undefined;
}

const LACKING: Readonly<Record<ShortOf, string>> = {
  credits: 'the account had no Credits left for the rest',
  cap: 'the monthly cap was reached',
  'month-over': 'the month of its hold was over, so its cap could no longer be checked',
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

/** One line for an operator: the call, the shortfall and its causes. */
export function describeShortfall(shortfall: Shortfall): string {
  const { callId, accountId, model, vendor, chargeMicro, heldMicro, shortfallMicro, of } = shortfall;
  const causes = listCauses(shortfall).map((cause) => describeCause(cause, shortfall));
  const lacking = of === undefined ? '' : `; ${LACKING[of]}`;
  return (
    `call ${callId} of account ${accountId} (model ${model}, vendor ${vendor}): ${formatMicro(shortfallMicro)} of ` +
    `${formatMicro(chargeMicro)} Credits not paid, ${formatMicro(heldMicro)} were held. Cause: ${causes.join(', and ')}${lacking}`
  );
}

function describeCause(cause: ShortfallCause, { usage, expected, vendor }: Shortfall): string {
  switch (cause) {
    case 'input-beyond-estimate':
      return `${vendor} counted ${inputTokens(usage)} input tokens, ${expected?.inputTokens} were estimated`;
    case 'output-beyond-bound':
      return `${vendor} produced ${outputTokens(usage)} output tokens, the bound was ${expected?.outputTokens}`;
    case 'images-beyond-asked':
      return `${vendor} produced ${usage.images} images, ${expected?.images} were requested`;
    case 'held-too-little':
      return 'less was held than the call could cost';
    case 'funds-gone':
      return (
        'the held money was gone: an operator took it, or other calls cost more than their holds while the gate ' +
        'was unreachable'
      );
  }
}
