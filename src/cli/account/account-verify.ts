import { REASON_LENGTH_MAX } from '../../bounds.ts';
import { maskDocument } from '../../kernel/encoding/mask.ts';
import { formatMicro } from '../../kernel/money.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import {
  type Decision,
  decideVerification,
  type FoundVerification,
  listVerifications,
} from '../../store/accounts/verification-decision.ts';
import { endSessionsAudited } from '../../store/operations/operator-accounts.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { pageLine, say, table } from '../table.ts';
import { choiceOf, optionalValue, PAGE_HELP, PAGE_OPTIONS, readPage } from '../values.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

const STATES = ['pending', 'approved', 'refused'] as const;

export const verificationList: Command = {
  name: 'verification list',
  summary: 'List the verifications that accounts submitted, newest first.',
  usage: '[--status pending|approved|refused] [--page N] [--size N] [--json]',
  options: { status: { type: 'string' }, ...PAGE_OPTIONS, json: { type: 'boolean' } },
  help: ['--status STATE   only verifications in this state', ...PAGE_HELP, JSON_HELP],
  run: (input) => {
    const page = readPage(input);
    const status = optionalValue(input, 'status', (text, name) => choiceOf(text, name, STATES));
    return withStore(input, async ({ database, config, sealer }) => {
      const { items, total } = await listVerifications(database, { status, ...page }, sealer);
      const time = createTimeFormat(config.timeZone);
      const rows = items.map((each) => [
        ...[String(each.id), each.email, each.kind, each.status, each.name],
        maskDocument(each.documentNumber),
        time(each.createdAtMs),
      ]);
      const iso = createIsoFormat(config.timeZone);
      say(input, { total, items: items.map((each) => verificationJson(each, iso)) }, [
        ...table(['ID', 'EMAIL', 'KIND', 'STATUS', 'NAME', 'DOCUMENT', 'SUBMITTED'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

/** As in lists of the API: only the end of the document number. `account show` has all of it. */
function verificationJson(each: FoundVerification, time: ShowTime): object {
  return {
    id: each.id,
    account_id: each.accountId,
    email: each.email,
    kind: each.kind,
    name: each.name,
    document_number: maskDocument(each.documentNumber),
    contact: each.contact ?? null,
    status: each.status,
    reason: each.reason ?? null,
    granted: formatMicro(each.grantedMicro),
    created_at: time(each.createdAtMs),
  };
}

export const accountVerify: Command = {
  name: 'account verify',
  summary: 'Approve or refuse the verification of an account. An approval grants its Credits once.',
  usage: '--account EMAIL (--approve | --refuse REASON) [--json]',
  options: { ...ACCOUNT_OPTION, approve: { type: 'boolean' }, refuse: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    '--approve        raise the level and grant the free Credits of the kind',
    `--refuse REASON  refuse; the account sees the reason, up to ${REASON_LENGTH_MAX} characters`,
    JSON_HELP,
  ],
  run: (input) => {
    const decision = decisionOf(input);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const waiting = { status: 'pending', accountId, offset: 0, limit: 1 } as const;
      const { items } = await listVerifications(setup.database, waiting, setup.sealer);
      const [pending] = items;
      if (pending === undefined) throw new CommandFailed('the account has no pending verification');
      const audit = auditContext(setup, input);
      const decided = await decideVerification(audit, pending.id, decision, terminal('account verify'));
      if (decided.kind !== 'decided')
        throw new CommandFailed('the verification was decided by another operator in the meantime');
      const { verification } = decided;
      const granted = formatMicro(verification.grantedMicro);
      const json = verificationJson(verification, createIsoFormat(setup.config.timeZone));
      say(input, json, [`${verification.status}, ${granted} Credits granted`]);
      return EXIT.ok;
    });
  },
};

function decisionOf(input: CommandInput): Decision {
  const reason = stringOption(input, 'refuse');
  const approves = input.values.approve === true;
  if (approves === (reason !== undefined)) throw new UsageError('give either --approve or --refuse REASON');
  if (reason === undefined) return { kind: 'approve' };
  if (reason.trim() === '' || reason.length > REASON_LENGTH_MAX) {
    throw new UsageError(`--refuse must have 1 to ${REASON_LENGTH_MAX} characters`);
  }
  return { kind: 'refuse', reason };
}

export const accountLogout: Command = {
  name: 'account logout',
  summary: 'End all logins of an account. Its tokens are invalid at once.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const audit = auditContext(setup, input);
      const done = await endSessionsAudited(audit, accountId, terminal('account logout'));
      if (done.kind === 'not-found') throw new CommandFailed('the account no longer exists');
      say(input, { id: accountId, ended: done.sessions }, [`${done.sessions} logins ended`]);
      return EXIT.ok;
    }),
};
