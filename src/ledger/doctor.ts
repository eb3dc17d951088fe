/**
 * What must hold in the books at any moment (rule M-17 to rule M-25), as data: the store has a question for
 * each, the command prints what it finds. A healthy ledger has no findings.
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
    reading: 'An entry before the one named was deleted, or the one named was put in later.',
  },
  'after-chain': {
    promise: 'Each entry leaves what the one before it left, plus its change.',
    reading: 'The entry named, or the one before it in its pool, was changed, deleted or put in.',
  },
  'transaction-sum': {
    promise: 'The entries of a transaction sum to zero for each kind and pool.',
    reading:
      'An entry of the transaction was changed, deleted or put in, on the account or the platform side.',
  },
  'entry-orphan': {
    promise:
      'Every ledger entry belongs to an account that exists, or is the platform side of one that does.',
    reading: 'The account was deleted, or the entry was written by hand.',
  },
  'charge-without-call': {
    promise: 'Every charge in the ledger belongs to a call of the same account in the call log.',
    reading: 'The call log lost a row, or somebody was charged for nothing.',
  },
  'charge-without-consumption': {
    promise: 'Every charge in the ledger has its row in the consumption log, over the same Credits.',
    reading: 'The consumption log lost or changed a row.',
  },
  'consumption-without-charge': {
    promise: 'Every consumption that took Credits has its ledger entry.',
    reading: 'The ledger lost an entry: the Credits were not taken, or taken without a trace.',
  },
  'consumption-without-call': {
    promise: 'Every consumption belongs to a call of the same account in the call log.',
    reading: 'The call log lost a row.',
  },
  'call-without-consumption': {
    promise: 'Every call that reached a vendor has its row in the consumption log.',
    reading: 'The consumption log lost a row, or the call was logged but never charged.',
  },
  'charge-doubled': {
    promise: 'A call is charged at most once.',
    reading: 'The same call id has several charges: give the surplus back with an adjustment.',
  },
  'charge-parts': {
    promise: 'Credits taken and shortfall together are the charge, and the charge is the amount in Credits.',
    reading: 'The consumption or the charge of the call was changed.',
  },
  'amount-price': {
    promise: "A call's amount is its usage at the prices and rates it was routed with.",
    reading: 'Usage, amount or price snapshot of the call was changed.',
  },
  'receipt-figures': {
    promise: "A consumption's receipt says what the call and its ledger entries say.",
    reading: 'The receipt was changed, or entries of the call are missing or changed.',
  },
  'free-reason': {
    promise:
      'A call without a charge says why it has none, and the reason holds; one with a charge has none.',
    reading: 'The reason, the payer or the charge of the call was changed.',
  },
  'free-call-charged': {
    promise: 'Calls paid by BYOK or covered by a subscription are never charged.',
    reading: 'The payer or the charge of the call was changed.',
  },
  'shortfall-with-money': {
    promise:
      'A shortfall is recorded only when there was nothing left to take: no Credits, no balance that may be used, or no room under the cap.',
    reading: 'A shortfall was written although there was something to take.',
  },
  'month-spent': {
    promise: "What counts against the monthly cap is the sum of the month's consumptions.",
    reading: 'The counter of the cap was changed, or consumptions are missing or changed.',
  },
  negative: {
    promise: 'No amount, balance or count is below zero.',
    reading: 'The row was written past its constraints.',
  },
  'usage-rollup': {
    promise: "An account's hourly usage is the sum of its calls of that hour.",
    reading: 'The roll-up or the call log was changed, or lost a row.',
  },
  'usage-days': {
    promise: "An account's closed day is the sum of its hours, and none ends after what is closed.",
    reading: 'The day or its hours were changed, or lost a row.',
  },
  'model-rollup': {
    promise: "A model's hour is the sum of its calls that reached a vendor.",
    reading: 'The roll-up or the call log was changed, or lost a row.',
  },
  'model-users': {
    promise: 'Who used a model on a day is listed for that day, and nobody else.',
    reading: 'The list or the call log was changed, or lost a row.',
  },
} as const satisfies Readonly<Record<string, Check>>;

export type CheckName = keyof typeof CHECKS;

export interface Finding {
  readonly check: CheckName;
  /** `account 12`, `call req_…`, `entry 99`, `transaction 7`. */
  readonly subject: string;
  /** The figures that do not agree. */
  readonly detail: string;
}

/** One line for the command to print. */
export function describeFinding(finding: Finding): string {
  const { promise, reading } = CHECKS[finding.check];
  return `${finding.subject}: ${finding.detail}. Rule ${finding.check}: ${promise} ${reading}`;
}
