import type { Bug, Catcher } from './bug.ts';
import { JOBS } from './job-bugs.ts';

const gate = (name: string): Catcher => ({ file: 'src/gate/memory.test.ts', name });
const redis = (name: string): Catcher => ({ file: 'src/gate/redis/nodes.test.ts', name });
const leases = (name: string): Catcher => ({ file: 'src/gate/redis/leases.test.ts', name });
const settle = (name: string): Catcher => ({ file: 'src/gateway/settle/settle.test.ts', name });
const recover = (name: string): Catcher => ({ file: 'src/ledger/journal/recover.test.ts', name });
const price = (name: string): Catcher => ({ file: 'src/catalog/price.test.ts', name });
const ledger = (name: string): Catcher => ({ file: 'src/store/ledger/ledger.test.ts', name });
const charge = (name: string): Catcher => ({ file: 'src/store/ledger/charge.test.ts', name });
const days = (name: string): Catcher => ({ file: 'src/store/logs/daily-rollup.test.ts', name });
const model: Catcher = { file: 'test/model/model.test.ts', name: 'in memory' };

const ALL_PAY = {
  file: 'src/ledger/end-record.ts',
  text: "const chargeMicro = payer === 'credits' ?",
  instead: "const chargeMicro = payer !== 'none' ?",
};

/** What a call owes, and how often. */
const CHARGES: readonly Bug[] = [
  {
    name: 'a call is settled twice',
    file: 'src/gateway/settle/settle.ts',
    text: 'settlement.journal.end(record);\n  }\n',
    instead: 'settlement.journal.end(record);\n    settlement.journal.end(record);\n  }\n',
    catcher: settle('a call that came to more than it held ends at once'),
  },
  {
    name: 'a call id that is known is charged again',
    file: 'src/store/ledger/ledger.ts',
    text: 'calls.filter((call) => !known.has(call.callId))',
    instead: 'calls',
    catcher: ledger('settled again, alone or twice in a batch'),
  },
  {
    name: 'money is a binary fraction, rounded at the end',
    file: 'src/catalog/price.ts',
    text: '((tokens + items * TOKENS_PER_PRICE) * numerator) / denominator;',
    instead:
      'BigInt(Math.round(Number(tokens + items * 1_000_000n) * (Number(numerator) / Number(denominator))));',
    catcher: price('is the exact product of rule M-1'),
  },
  {
    name: 'exactly one Credit is free',
    file: 'src/catalog/price.ts',
    text: 'return credits < MICRO ? 0n : credits;',
    instead: 'return credits <= MICRO ? 0n : credits;',
    catcher: price('is nothing below one Credit and exact from one Credit on'),
  },
  {
    name: 'an exchange is rounded down and leaves the charge short',
    file: 'src/catalog/price.ts',
    text: 'return (missingCreditsMicro + factor - 1n) / factor;',
    instead: 'return missingCreditsMicro / factor;',
    catcher: charge('nothing is created, lost or overdrawn for any account and any cost of a call'),
  },
  {
    name: 'Credits are taken without looking whether they are there',
    file: 'src/store/ledger/charge.ts',
    text: 'const paidMicro = minMicro(dueMicro, wallet.creditsMicro);',
    instead: 'const paidMicro = dueMicro;',
    catcher: charge('nothing is created, lost or overdrawn for any account and any cost of a call'),
  },
  {
    name: 'what exceeds the hold is paid by nobody',
    file: 'src/store/ledger/charge.ts',
    text: 'const dueMicro = minMicro(call.chargeMicro,',
    instead: 'const dueMicro = minMicro(minMicro(call.heldMicro, call.chargeMicro),',
    catcher: charge('an overrun of the hold is taken too: from Credits'),
  },
  {
    name: 'what exceeds the hold passes the monthly cap',
    file: 'src/store/ledger/charge.ts',
    text: 'if (!isSet) return NO_CAP;',
    instead: 'if (isSet || !isSet) return NO_CAP;',
    catcher: charge('the cap is never exceeded, whatever a call costs beyond its hold'),
  },
  {
    name: 'what exceeds the hold is taken from under another call',
    file: 'src/ledger/overrun.ts',
    text: 'answers[index] === false',
    instead: 'answers[index] === undefined',
    catcher: {
      file: 'src/ledger/settler.test.ts',
      name: 'waits while the gate reports that others hold their money, and then settles them',
    },
  },
  {
    name: 'what exceeds the hold of a past month is taken from under another call of that month',
    file: 'src/gate/funds.ts',
    text: 'ownPastMicro > 0n && pastMicro(wallet) > ownPastMicro',
    instead: 'ownPastMicro > 0n && pastMicro(wallet) < 0n',
    catcher: model,
  },
  {
    name: 'who switches auto-exchange off pays nothing for what runs',
    file: 'src/store/ledger/charge.ts',
    text: 'autoExchange || call.mayExchange === true ||',
    instead: 'autoExchange ||',
    catcher: charge('held balance is taken, although auto-exchange was switched off since'),
  },
  {
    name: 'a charge counts in another month than its hold',
    file: 'src/store/ledger/ledger.ts',
    text: 'month: call.month ?? calendar.month(call.createdAtMs)',
    instead: 'month: calendar.month(call.createdAtMs)',
    catcher: ledger('counts in the month of its hold, whenever it began'),
  },
  {
    name: 'a late call of an old month counts into the new one',
    file: 'src/store/ledger/charge.ts',
    text: 'if (month < wallet.month) return;',
    instead: '',
    catcher: ledger('counts in the month of the call in the configured'),
  },
  {
    name: 'an own credential is charged',
    file: 'src/catalog/price.ts',
    text: 'route.credential.ownerAccountId === undefined ? model.prices : NO_PRICES',
    instead: 'model.prices',
    catcher: model,
  },
  { name: 'a covered call is charged', ...ALL_PAY, catcher: model },
  {
    name: 'the fallback is billed at the price of the model asked for',
    file: 'src/gateway/call-runner.ts',
    text: 'return { catalog, model, account,',
    instead: 'return { catalog, model: catalog.models.get(this.#eligibility.modelId) ?? model, account,',
    catcher: { file: 'test/gateway/fallback.test.ts', name: 'after 500, a rate limit among them' },
  },
];

/** From the end of a call to the store, through a crash. */
const JOURNAL: readonly Bug[] = [
  {
    name: 'a call that its client left keeps its slot and its hold',
    file: 'src/gateway/settle/settle.ts',
    text: 'try {\n    leaveGate(',
    instead: "try {\n    if (outcome.verdict !== 'cut-by-client') leaveGate(",
    catcher: settle('a cut call ends in the same order as a complete one'),
  },
  {
    name: 'the end is journaled after the last byte',
    file: 'src/gateway/settle/settle.ts',
    text: '  settleInTurn(call, outcome, settlement);\n  settlement.journal.flush();',
    instead: '  settleInTurn(call, outcome, settlement);',
    catcher: settle('a call that came to more than it held ends at once'),
  },
  {
    name: 'recovery ignores the marks',
    file: 'src/ledger/journal/recover.ts',
    text: 'known.mark = record;',
    instead: '',
    catcher: recover('ends open calls at their last mark'),
  },
  {
    name: 'recovery takes for held what was not',
    file: 'src/ledger/journal/recover.ts',
    text: ': (mark.heldMicro ?? maxMicro(open.heldMicro, bill.chargeMicro));',
    instead: ': maxMicro(open.heldMicro, bill.chargeMicro);',
    catcher: recover('has its hold at the last mark'),
  },
  {
    name: 'recovery charges who does not pay by Credits',
    ...ALL_PAY,
    catcher: recover('without Credits charges nothing'),
  },
  {
    name: 'recovery puts the last mark in the place of the end',
    file: 'src/ledger/journal/recover.ts',
    text: 'if (this.#batch.has(callId) || this.#overruns.has(callId)) continue;',
    instead: '',
    catcher: recover('keeps the exact end of a refused call, although a crash left its marks in the journal'),
  },
  {
    name: 'a restart forgets the requests of a window',
    file: 'src/ledger/window-use.ts',
    text: "case 'requests':\n      return 1n;",
    instead: "case 'requests':\n      return 0n;",
    catcher: settle('each window that counts the call is stored with its use'),
  },
  {
    name: 'a late call of an older window counts into the newer one after a restart',
    file: 'src/store/ledger/windows.ts',
    text: 'where gate_windows.started_at <= excluded.started_at`,',
    instead: '`,',
    catcher: { file: 'src/store/ledger/windows.test.ts', name: 'of a newer window replace the older one' },
  },
  {
    name: 'a late call is missing in its closed day',
    file: 'src/store/logs/daily-rollup.ts',
    text: 'createdAtMs < closedTo(accountId)',
    instead: 'createdAtMs < 0',
    catcher: days('a call that is settled after its day was closed is added at once, and only once'),
  },
  {
    name: 'a closed day counts whole where a statistic divides it',
    file: 'src/store/logs/daily-rollup-read.ts',
    text: ') = width_bucket(ends_at',
    instead: ') <= width_bucket(ends_at',
    catcher: days('after a change of the time zone'),
  },
];

/** Limits and holds in memory. */
const GATE: readonly Bug[] = [
  {
    name: 'a limit stops one call too early (`<` for `<=`)',
    file: 'src/gate/window.ts',
    text: 'if (used + amountTaken(rule.dimension, request) <= rule.limit) return true;',
    instead: 'if (used + amountTaken(rule.dimension, request) < rule.limit) return true;',
    catcher: gate('of 10 simultaneous calls at 1 requests exactly 1 enter'),
  },
  {
    name: 'concurrency lets one call too many in (`<=` for `<`)',
    file: 'src/gate/refusal.ts',
    text: 'if (used < limit) continue;',
    instead: 'if (used <= limit) continue;',
    catcher: gate('of 10 simultaneous calls at concurrency 1 exactly 1 enter'),
  },
  {
    name: 'a text call that may paint takes no image until it has',
    file: 'src/gate/window.ts',
    text: 'return images + imagesGuess;',
    instead: 'return images;',
    catcher: gate('possible images are taken at entry, and given back as far as they were not made'),
  },
  {
    name: 'windows begin at round times instead of first use',
    file: 'src/gate/scope.ts',
    text: 'endsAtMs: nowMs + seconds * 1000,',
    instead: 'endsAtMs: (Math.floor(nowMs / (seconds * 1000)) + 1) * seconds * 1000,',
    catcher: gate('a window that starts one millisecond after the end of the last is new'),
  },
  {
    name: 'a charge of strangers is refunded to whoever settles',
    file: 'src/gate/funds.ts',
    text: 'if (wallet.heldMicro === 0n && wallet.pendingMicro < 0n) {',
    instead: 'if (wallet.heldMicro < 0n && wallet.pendingMicro < 0n) {',
    catcher: gate('a settlement of unknown calls changes nothing but the funds'),
  },
  {
    name: 'what is held does not count under the cap',
    file: 'src/gate/funds.ts',
    text: '+ wallet.monthPendingMicro + wallet.monthHeldMicro;',
    instead: '+ wallet.monthPendingMicro;',
    catcher: gate('spent, pending and held amounts together never exceed the cap'),
  },
  {
    name: 'what is pending can be spent again',
    file: 'src/gate/funds.ts',
    text: 'creditsPerYuan) - wallet.pendingMicro - wallet.heldMicro;',
    instead: 'creditsPerYuan) - wallet.heldMicro;',
    catcher: gate('a charge is pending until it is settled'),
  },
  {
    name: 'the month does not turn',
    file: 'src/gate/funds.ts',
    text: 'if (month <= wallet.month) return;',
    instead: 'if (month !== wallet.month) return;',
    catcher: gate('a new month starts with nothing spent'),
  },
  {
    name: 'what others hold of an amount or a coverage is given out again',
    file: 'src/gate/window.ts',
    text: 'return creditsMicro(rule.limit - window.used, creditsPerYuan) - window.heldMicro;',
    instead: 'return creditsMicro(rule.limit - window.used, creditsPerYuan);',
    catcher: gate('the wait is an estimate of one second when only running calls are in the way'),
  },
  {
    name: 'a hold grows beyond what is free',
    file: 'src/gate/holding.ts',
    text: 'isShort ? maxMicro(0n, free.amountMicro) : wantMicro',
    instead: 'wantMicro',
    catcher: gate('a hold is extended by what is available, and by no more'),
  },
  {
    name: 'a new hold leaks the old one',
    file: 'src/gate/memory.ts',
    text: 'if (holding !== undefined) releaseFrom(holding, heldMicro, 0n);',
    instead: '',
    catcher: gate('from Credits to the subscription'),
  },
  {
    name: 'a refused call keeps a slot',
    file: 'src/gate/memory.ts',
    text: "if (holding?.kind === 'gate-refused') return holding;",
    instead: "if (holding?.kind === 'gate-refused') return scope.slots.take(nowMs), holding;",
    catcher: gate('a call refused for credits consumes nothing'),
  },
  {
    name: 'a call that names no bound takes all that is free',
    file: 'src/gate/holding.ts',
    text: 'return minMicro(wantMicro, maxMicro(quarterMicro(freeMicro), minMicro(freeMicro, shareMicro)));',
    instead: 'return minMicro(wantMicro, freeMicro);',
    catcher: gate('any schedule has the results of the reference model'),
  },
  {
    name: 'only the first of two policies limits how many calls run at once',
    file: 'src/gate/refusal.ts',
    text: 'for (let index = 0; index < limits.length; index++) {',
    instead: 'for (let index = 0; index < 1; index++) {',
    catcher: gate('a key’s policy holds beside the account’s'),
  },
  {
    name: 'a slot is never freed by leaving',
    file: 'src/gate/memory.ts',
    text: 'if (slot !== undefined) lease.bounds[index]?.scope.slots.free(slot);',
    instead: '',
    catcher: gate('a slot is free again when its call leaves'),
  },
  {
    name: 'a call may leave twice',
    file: 'src/gate/memory.ts',
    text: 'lease.left = true;',
    instead: '',
    catcher: gate('leaving twice throws and frees nothing'),
  },
];

/** The same on Redis. */
const SHARED: readonly Bug[] = [
  {
    name: 'a key on Redis has no time to live',
    file: 'src/gate/redis/account.lua',
    text: "redis.call('PEXPIRE', hash, life)",
    instead: '',
    catcher: redis('give every key a time to live, beyond its longest window'),
  },
  {
    name: 'a pending charge is dropped when its call leaves Redis',
    file: 'src/gate/redis/leave.lua',
    text: 'if ZERO < charge then',
    instead: 'if false then',
    catcher: redis('keep a pending charge beyond its lease, and settle it once'),
  },
  {
    name: 'a decision with an old account passes',
    file: 'src/gate/redis/enter.lua',
    text: "if version < newest then return 'S' end",
    instead: '',
    catcher: redis('refuse a decision with an older account, which consumes nothing'),
  },
  {
    name: 'a dead node keeps its holds for ever',
    file: 'src/gate/redis/account.lua',
    text: 'release(lost)',
    instead: '',
    catcher: redis('release money and slots of a dead node with its lease'),
  },
  {
    name: 'a dead node keeps its slots when it returns',
    file: 'src/gate/redis/leave.lua',
    text: 'free_slots(id, call.scopes)',
    instead: '',
    catcher: redis('free the slots of a dead node at once during recovery, each in its own scope'),
  },
  {
    name: 'a call without windows spoils the renewal of the next one',
    file: 'src/gate/redis/words.ts',
    text: "if (items.length === 0) return '0';",
    instead: '',
    catcher: redis('renew the calls of one account together'),
  },
  {
    name: 'a Redis that lost its memory believes whatever a node still knows',
    file: 'src/gate/redis/enter.lua',
    text: "if payable and not just_read and not get('fv') then",
    instead: 'if false then',
    catcher: redis('ignore old funds on a server that lost its memory, and take fresh ones'),
  },
  {
    name: 'a call whose lease ran out is forgotten',
    file: 'src/gate/redis/account.lua',
    text: "local kept = lost and lost.state == 'r' and",
    instead: 'local kept = false and',
    catcher: leases('counts the cost of a call of a dead node once, although the node returns'),
  },
  {
    name: 'after an absence a call enters before what others hold is renewed',
    file: 'src/gate/redis/gate.ts',
    text: 'if (this.#leases.isOverdue(accountId) && !(await this.#leases.comeBack(accountId))) return AWAY;',
    instead: '',
    catcher: leases('is renewed by a node that was cut off before another call enters'),
  },
  {
    name: 'a stream that left goes on asking for more',
    file: 'src/gate/redis/gate.ts',
    text: '} while (!lease.left && this',
    instead: '} while (this',
    catcher: {
      file: 'src/gate/redis/away.test.ts',
      name: 'a stream that left extends no hold, although it was waiting for Redis',
    },
  },
];

export const BUGS: readonly Bug[] = [...CHARGES, ...JOBS, ...JOURNAL, ...GATE, ...SHARED];
