import type { ByokView } from '../../accounts/views.ts';
import { BYOK_PER_ACCOUNT_MAX, SECRET_LENGTH_MAX } from '../../bounds.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import type { Setup } from '../../setup.ts';
import {
  type ByokContext,
  type ByokPatch,
  type ByokRefusal,
  isUsableSecret,
  listByok,
} from '../../store/accounts/byok.ts';
import {
  changeByokAudited,
  hostAudited,
  removeByokAudited,
} from '../../store/operations/operator-holdings.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from '../account/account-option.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { readStandardInput } from '../standard-input.ts';
import { say, table } from '../table.ts';
import { choiceOf, optionalValue, parseName, requiredValue, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';

const TEXT = { type: 'string' } as const;
const ID_HELP = '--id ID          number of the credential, see "credential list"';
const ADDRESS_HELP = '--base-url URL   own https address, if the vendor allows one';

export const credentialAdd: Command = {
  name: 'credential add',
  summary: 'Add a BYOK credential to an account. The secret is read from standard input.',
  usage: '--account EMAIL --vendor CODE --name NAME [--base-url URL] [--json] < FILE',
  options: { ...ACCOUNT_OPTION, vendor: TEXT, name: TEXT, 'base-url': TEXT },
  help: [
    ACCOUNT_HELP,
    '--vendor CODE    vendor of the catalogue that allows BYOK credentials',
    '--name NAME      up to 100 characters, unique in the account',
    ADDRESS_HELP,
    JSON_HELP,
  ],
  run: async (input) => {
    const vendorCode = requiredOption(input, 'vendor');
    const name = requiredValue(input, 'name', parseName);
    const secret = await readSecret();
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const baseUrl = stringOption(input, 'base-url');
      const wanted = { accountId, vendorCode, name, secret, baseUrl };
      const made = await hostAudited(auditContext(setup, input), wanted, {
        byokContext: byokContext(setup),
        actor: terminal('credential add'),
      });
      if (made.kind !== 'added') return refuse(made);
      const { credentialId: id } = made;
      say(input, { id, vendor: vendorCode, name }, [`credential ${id} (${vendorCode}, ${name}) added`]);
      return EXIT.ok;
    });
  },
};

export const credentialList: Command = {
  name: 'credential list',
  summary: 'List the BYOK credentials of an account. Only the end of each secret is shown.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const items = await listByok(setup.database, await requireAccount(setup, input));
      const time = createTimeFormat(setup.config.timeZone);
      const rows = items.map((each) => [
        String(each.id),
        each.vendorCode,
        each.status,
        `…${each.hint}`,
        time(each.createdAtMs),
        each.name,
        each.baseUrl ?? '',
      ]);
      const headings = ['ID', 'VENDOR', 'STATUS', 'SECRET', 'CREATED', 'NAME', 'ADDRESS'];
      const iso = createIsoFormat(setup.config.timeZone);
      const json = items.map((each) => shown(each, iso));
      say(input, json, table(headings, rows));
      return EXIT.ok;
    }),
};

export const credentialSet: Command = {
  name: 'credential set',
  summary: 'Change a BYOK credential. A new address needs the secret again.',
  usage: '--account EMAIL --id ID [--name NAME] [--status S] [--base-url URL|none] [--secret-stdin] [--json]',
  options: {
    ...ACCOUNT_OPTION,
    id: TEXT,
    name: TEXT,
    status: TEXT,
    'base-url': TEXT,
    'secret-stdin': { type: 'boolean' },
  },
  help: [
    ACCOUNT_HELP,
    ID_HELP,
    '--name NAME      new name',
    '--status S       enabled or disabled',
    `${ADDRESS_HELP}; none uses the vendor's address`,
    '--secret-stdin   read a new secret from standard input',
    JSON_HELP,
  ],
  run: async (input) => {
    const credentialId = requiredValue(input, 'id', wholeNumber);
    const patch = await patchOf(input);
    return withStore(input, async (setup) => {
      const place = { accountId: await requireAccount(setup, input), credentialId };
      const change = { patch, byokContext: byokContext(setup), actor: terminal('credential set') };
      const result = await changeByokAudited(auditContext(setup, input), place, change);
      if (result.kind !== 'updated') return refuse(result);
      say(input, { id: credentialId, changed: true }, [`credential ${credentialId} changed`]);
      return EXIT.ok;
    });
  },
};

export const credentialRemove: Command = {
  name: 'credential remove',
  summary: 'Delete a BYOK credential. No later call uses it.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT },
  help: [ACCOUNT_HELP, ID_HELP, JSON_HELP],
  run: async (input) => {
    const id = requiredValue(input, 'id', wholeNumber);
    return withStore(input, async (setup) => {
      const place = { accountId: await requireAccount(setup, input), credentialId: id };
      const done = await removeByokAudited(auditContext(setup, input), place, terminal('credential remove'));
      if (done.kind === 'not-found') return refuse(done);
      say(input, { id, removed: true }, [`credential ${id} removed`]);
      return EXIT.ok;
    });
  },
};

function byokContext({ sealer, config }: Setup): ByokContext {
  return { sealer, ownHosts: new Set(config.byokHosts) };
}

async function readSecret(): Promise<string> {
  const secret = await readStandardInput(SECRET_LENGTH_MAX);
  if (isUsableSecret(secret)) return secret;
  const shape = `1 to ${SECRET_LENGTH_MAX} printable characters without spaces`;
  throw new UsageError(`the secret on standard input must be one line of ${shape}`);
}

async function patchOf(input: CommandInput): Promise<ByokPatch> {
  const name = optionalValue(input, 'name', parseName);
  const status = optionalValue(input, 'status', (text, option) =>
    choiceOf(text, option, ['enabled', 'disabled']),
  );
  const address = stringOption(input, 'base-url');
  const secret = input.values['secret-stdin'] === true ? await readSecret() : undefined;
  const patch: ByokPatch = {
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(address === undefined ? {} : { baseUrl: address === 'none' ? null : address }),
    ...(secret === undefined ? {} : { secret }),
  };
  if (Object.keys(patch).length === 0) throw new UsageError('nothing to change: name at least one option');
  return patch;
}

function refuse(refusal: ByokRefusal): never {
  if (refusal.kind === 'bad-address') throw new CommandFailed(`--base-url ${refusal.why}`);
  throw new CommandFailed(REASONS[refusal.kind]);
}

const REASONS = {
  'unknown-account': 'the account no longer exists',
  'not-found': 'the account has no such credential',
  'too-many': `the account already has ${BYOK_PER_ACCOUNT_MAX} credentials, the maximum`,
  'name-taken': 'the account already has a credential with this name',
  'vendor-closed': 'there is no such vendor, or it does not allow BYOK credentials',
  'address-closed': 'the vendor does not allow an own address',
  'secret-required': 'a new address needs the secret again: --secret-stdin',
} as const;

function shown(view: ByokView, time: ShowTime): object {
  const { id, vendorCode, name, hint, baseUrl, status, createdAtMs } = view;
  return {
    id,
    vendor: vendorCode,
    name,
    secret_hint: hint,
    base_url: baseUrl ?? null,
    status,
    created_at: time(createdAtMs),
  };
}
