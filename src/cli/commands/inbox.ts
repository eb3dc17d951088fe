import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import { findRegistration } from '../../store/accounts/registration.ts';
import { type AuditRecord, listAudit } from '../../store/operations/audit.ts';
import { changeRegistration, listFeedback, setFeedback } from '../../store/operations/inbox.ts';
import { JSON_HELP } from '../account/account-option.ts';
import { type Command, CommandFailed, EXIT, stringOption, UsageError } from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { pageLine, say, table } from '../table.ts';
import {
  choiceOf,
  optionalValue,
  PAGE_HELP,
  PAGE_OPTIONS,
  readPage,
  requiredValue,
  wholeNumber,
} from '../values.ts';
import { withStore } from '../workspace.ts';

export const feedbackList: Command = {
  name: 'feedback list',
  summary: 'List feedback, newest first.',
  usage: '[--status open|done] [--page N] [--size N] [--json]',
  options: { status: { type: 'string' }, ...PAGE_OPTIONS, json: { type: 'boolean' } },
  help: ['--status STATE   open or done', ...PAGE_HELP, JSON_HELP],
  run: (input) => {
    const page = readPage(input);
    const status = optionalValue(input, 'status', (text, name) => choiceOf(text, name, ['open', 'done']));
    return withStore(input, async ({ database, config }) => {
      const { items, total } = await listFeedback(database, { status, ...page });
      const time = createTimeFormat(config.timeZone);
      const rows = items.map(({ id, createdAtMs, status: state, email, contact, content }) => [
        ...[String(id), time(createdAtMs), state, email ?? contact ?? '-', content],
      ]);
      const iso = createIsoFormat(config.timeZone);
      const json = items.map(({ createdAtMs, accountId, email, contact, ...rest }) => ({
        ...{ ...rest, account_id: accountId ?? null, email: email ?? null, contact: contact ?? null },
        created_at: iso(createdAtMs),
      }));
      say(input, { total, items: json }, [
        ...table(['ID', 'SENT', 'STATUS', 'FROM', 'TEXT'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

export const feedbackDone: Command = {
  name: 'feedback done',
  summary: 'Mark feedback as done.',
  usage: '--id ID [--json]',
  options: { id: { type: 'string' }, json: { type: 'boolean' } },
  help: ['--id ID          see "feedback list"', JSON_HELP],
  run: (input) => {
    const id = requiredValue(input, 'id', wholeNumber);
    return withStore(input, async (setup) => {
      const done = await setFeedback(auditContext(setup, input), id, 'done', terminal('feedback done'));
      if (done.kind === 'not-found') throw new CommandFailed(`there is no feedback ${id}`);
      say(input, { id, status: 'done' }, [`feedback ${id} is done`]);
      return EXIT.ok;
    });
  },
};

export const auditList: Command = {
  name: 'audit list',
  summary: 'List the audit log: the changes by operators, newest first.',
  usage: '[--entity NAME] [--key KEY] [--action NAME] [--page N] [--size N] [--json]',
  options: {
    entity: { type: 'string' },
    key: { type: 'string' },
    action: { type: 'string' },
    ...PAGE_OPTIONS,
    json: { type: 'boolean' },
  },
  help: [
    '--entity NAME    kind of entity, e.g. vendors, accounts, funds',
    '--key KEY        key of the entity: code, name, model_id or id',
    '--action NAME    action, e.g. vendors.update',
    ...PAGE_HELP,
    JSON_HELP,
  ],
  run: (input) => {
    const page = readPage(input);
    const [entity, entityKey, action] = ['entity', 'key', 'action'].map((name) => stringOption(input, name));
    return withStore(input, async ({ database, config }) => {
      const query = { actorAccountId: undefined, entity, entityKey, action, ...page };
      const { items, total } = await listAudit(database, query);
      const time = createTimeFormat(config.timeZone);
      const rows = items.map((each) => [
        ...[String(each.id), time(each.atMs), each.actorEmail ?? 'terminal', each.address, each.action],
        ...[each.key, JSON.stringify(each.after)],
      ]);
      const iso = createIsoFormat(config.timeZone);
      say(input, { total, items: items.map((each) => recordJson(each, iso)) }, [
        ...table(['ID', 'AT', 'WHO', 'FROM', 'ACTION', 'KEY', 'AFTER'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

function recordJson({ atMs, actorAccountId, actorEmail, ...rest }: AuditRecord, time: ShowTime): object {
  const actor = { actor_id: actorAccountId ?? null, actor_email: actorEmail ?? null };
  return { ...rest, ...actor, at: time(atMs) };
}

export const registration: Command = {
  name: 'registration',
  summary: 'Show or set whether people may register accounts.',
  usage: '[open|closed|default] [--json]',
  words: 1,
  options: { json: { type: 'boolean' } },
  help: [
    'open|closed      set it from now on',
    'default          use TOLLGATE_REGISTRATION again',
    JSON_HELP,
  ],
  run: (input) => {
    const [wanted] = input.positionals;
    if (wanted !== undefined && !['open', 'closed', 'default'].includes(wanted)) {
      throw new UsageError('the value must be open, closed or default');
    }
    return withStore(input, async (setup) => {
      const set = wanted === 'open' || wanted === 'closed' ? wanted : undefined;
      if (wanted !== undefined)
        await changeRegistration(auditContext(setup, input), set, terminal('registration'));
      const held = await findRegistration(setup.database);
      say(input, { registration: held ?? null, configured: setup.config.registration }, [
        held ?? `${setup.config.registration} (by the configuration)`,
      ]);
      return EXIT.ok;
    });
  },
};
