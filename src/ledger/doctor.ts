/**
 * What must hold in the ledger at all times (rule M-17 to rule M-25), as data. The store has a query for
 * each check, the command prints its findings. A correct ledger has no findings.
 */
export interface Check {
  /** What must hold. */
  readonly promise: string;
  /** What a finding means, and where to look. */
  readonly reading: string;
}

export const CHECKS = {
  'credits-sum': {
    promise: "An account's Credits are the sum of its ledger entries of that pool.",
    reading: 'Credits were changed outside the ledger, or an entry is missing, changed or doubled.',
  },
  'balance-sum': {
    promise: "An account's balance is the sum of its ledger entries of that pool.",
    reading: 'The balance was changed outside the ledger, or an entry is missing, changed or doubled.',
  },
  'entry-sequence': {
    promise: "An account's ledger entries are numbered 1, 2, 3 … without a gap or a repetition.",
    reading: 'An entry before this one was deleted, or this one was inserted later.',
  },
  'after-chain': {
    promise: 'The amount after each entry is the amount after the entry before it, plus its change.',
    reading: 'This entry, or the one before it in its pool, was changed, deleted or inserted.',
  },
  'transaction-sum': {
    promise: 'The entries of a transaction sum to zero for each kind and pool.',
    reading:
      'An entry of the transaction was changed, deleted or inserted, on the account or the platform side.',
  },
  'entry-orphan': {
    promise: 'Every ledger entry belongs to an existing account, or is the platform side of such an entry.',
    reading: 'The account was deleted, or the entry was written by hand.',
  },
  'charge-without-call': {
    promise: 'Every charge in the ledger belongs to a call of the same account in the call log.',
    reading: 'The call log lost a row, or the account was charged without a call.',
  },
  'charge-without-consumption': {
    promise: 'Every charge in the ledger has a row with the same Credits in the consumption log.',
    reading: 'The consumption log lost or changed a row.',
  },
  'consumption-without-charge': {
    promise: 'Every consumption that took Credits has its ledger entry.',
    reading: 'The ledger lost an entry: the Credits were not taken, or taken without an entry.',
  },
  'consumption-without-call': {
    promise: 'Every consumption belongs to a call of the same account in the call log.',
    reading: 'The call log lost a row.',
  },
  'call-without-consumption': {
    promise: 'Every call that reached a vendor has a row in the consumption log.',
    reading: 'The consumption log lost a row, or the call was logged but never charged.',
  },
  'charge-doubled': {
    promise: 'A call is charged at most once.',
    reading: 'The call has several charges. Return the excess with `account adjust`.',
  },
  'charge-parts': {
    promise:
      'The Credits taken plus the shortfall equal the charge, and the charge is the amount in Credits.',
    reading: 'The consumption or the charge of the call was changed.',
  },
  'amount-price': {
    promise: "A call's amount is its usage times the prices and rates of its route at the time of the call.",
    reading: 'Usage, amount or price snapshot of the call was changed.',
  },
  'receipt-figures': {
    promise: 'The receipt of a consumption agrees with the call and its ledger entries.',
    reading: 'The receipt was changed, or entries of the call are missing or changed.',
  },
  'free-reason': {
    promise:
      'A call without a charge has a reason, and the reason is true. A call with a charge has no reason.',
    reading: 'The reason, the payer or the charge of the call was changed.',
  },
  'free-call-charged': {
    promise: 'Calls paid by BYOK or covered by a subscription are never charged.',
    reading: 'The payer or the charge of the call was changed.',
  },
  'shortfall-with-money': {
    promise:
      'A shortfall is recorded only when nothing more can be taken: no Credits, no balance that may be used, or nothing left under the cap.',
    reading: 'A shortfall was recorded although the account could pay more.',
  },
  'month-spent': {
    promise:
      'The amount counted against the monthly cap is the sum of the consumptions of the month and of what is held for jobs.',
    reading: 'The counter of the cap was changed, or consumptions or jobs are missing or changed.',
  },
  'correction-refund': {
    promise: 'The corrections of a call are of its account, and give back at most what was taken for it.',
    reading: 'A correction was written by hand, or the consumption of the call was changed.',
  },
  'job-hold': {
    promise: 'The holds of a call sum to what its job holds while it runs, and to nothing when it has ended.',
    reading: 'A hold was returned twice or not at all, or the job was changed or deleted.',
  },
  'job-overdue': {
    promise: 'A job ends in its time: a video within a day, a batch within three.',
    reading: 'No server that serves calls has examined it, or its record cannot be read. Look at their logs.',
  },
  'job-call': {
    promise: 'A running job has no row in the call log, and an ended one has.',
    reading: 'The call log lost a row, or the call was settled beside its job.',
  },
  negative: {
    promise: 'No amount, balance or count is below zero.',
    reading: 'The row was written without its constraints.',
  },
  'usage-rollup': {
    promise: "An account's hourly usage is the sum of its calls of that hour.",
    reading: 'The roll-up or the call log was changed, or lost a row.',
  },
  'usage-days': {
    promise:
      "An account's closed day is the sum of its hours, and no closed day is later than the last one closed.",
    reading: 'The day or its hours were changed, or lost a row.',
  },
  'traffic-rollup': {
    promise: 'The hourly traffic of all accounts is the sum of their hourly usage.',
    reading: 'The traffic or the usage was changed, or lost a row.',
  },
  'model-rollup': {
    promise: "A model's hourly usage is the sum of its calls of that hour that reached a vendor.",
    reading: 'The roll-up or the call log was changed, or lost a row.',
  },
  'model-users': {
    promise: 'The users listed for a model and a day are exactly the accounts that used it on that day.',
    reading: 'The list or the call log was changed, or lost a row.',
  },
} as const satisfies Readonly<Record<string, Check>>;

export type CheckName = keyof typeof CHECKS;

export interface Finding {
  readonly check: CheckName;
  /** For example `account 12`, `call req_…`, `entry 99`, `transaction 7`. */
  readonly subject: string;
  /** The values that do not agree. */
  readonly detail: string;
}

/** One line for the command to print. */
export function describeFinding(finding: Finding): string {
  const { promise, reading } = CHECKS[finding.check];
  return `${finding.subject}: ${finding.detail}. Rule ${finding.check}: ${promise} ${reading}`;
}
