import type { Bug, Catcher } from './bug.ts';

const holds = (name: string): Catcher => ({ file: 'src/store/ledger/job-holds.test.ts', name });
const charge = (name: string): Catcher => ({ file: 'src/store/ledger/charge.test.ts', name });

/** What is held for a job, and how often it is returned. */
export const JOBS: readonly Bug[] = [
  {
    name: 'a job that two nodes end is settled twice',
    file: 'src/store/ledger/job-holds.ts',
    text: "where call_id = $1 and state = 'running'\n     returning",
    instead: 'where call_id = $1\n     returning',
    catcher: {
      file: 'src/store/ledger/job-ends.test.ts',
      name: 'comes once for many nodes at the same time',
    },
  },
  {
    name: 'a job that is known is held again',
    file: 'src/store/ledger/job-holds.ts',
    text: 'if (known.has(call.callId)) continue;',
    instead: '',
    catcher: holds('is settled at once with others of its batch, and is known however often it comes'),
  },
  {
    name: 'a void job keeps its place under the cap',
    file: 'src/store/ledger/charge.ts',
    text: 'if (month === wallet.month) wallet.monthSpentMicro -= spentMicro;',
    instead: '',
    catcher: charge('a hold takes what a charge would take, and returns all of it'),
  },
  {
    name: 'a job of a past month gives back spending of the new one',
    file: 'src/store/ledger/charge.ts',
    text: 'if (month === wallet.month) wallet.monthSpentMicro -= spentMicro;',
    instead: 'wallet.monthSpentMicro -= spentMicro;',
    catcher: charge('a hold of a month that is over is returned, and the new month stays as it is'),
  },
  {
    name: 'a complete job counts in its windows again',
    file: 'src/ledger/end-record.ts',
    text: 'return { ...call, windows: [] };',
    instead: 'return call;',
    catcher: holds('counts in its windows once, when it is held'),
  },
  {
    name: 'a batch costs what was held for it, and not what it used',
    file: 'src/ledger/end-record.ts',
    text: 'const { usage, estimated } = ending.result;',
    instead: 'const { usage, estimated } = call;',
    catcher: {
      file: 'src/ledger/end-record.test.ts',
      name: 'the record of a batch that ended has what its items used',
    },
  },
  {
    name: 'an item of a batch that expired is charged',
    file: 'src/protocol/batches/result.ts',
    text: "=== 'succeeded' ? slots.message",
    instead: "!== '' ? slots.message",
    catcher: {
      file: 'src/protocol/batches/batches.test.ts',
      name: 'costs nothing without an answer, and is counted without a report',
    },
  },
  {
    name: 'a new job is void when its vendor does not know it yet',
    file: 'src/jobs/rounds.ts',
    text: ' && ageMs >= JOB_MISSING_MS',
    instead: '',
    catcher: { file: 'src/jobs/rounds.test.ts', name: 'that its vendor calls missing at an age of 59999 ms' },
  },
];
