import { PAGE_SIZE_MAX, SECRET_LENGTH_MAX } from '../../bounds.ts';
import { type Command, requiredOption, UsageError } from '../command.ts';
import {
  ACCOUNT_HELP,
  ACCOUNT_OPTION,
  given,
  JSON_HELP,
  numeric,
  orNull,
  printPage,
  TEXT,
} from '../listing.ts';
import { readStandardInput } from '../standard-input.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

const ID_HELP = '--id ID          number of the credential, see "credential list"';
const ADDRESS_HELP = '--base-url URL   own https address, if the vendor allows one';
/** The options of fields with other names. */
const OPTIONS = { vendor_code: 'vendor', ids: 'id', secret: 'secret-stdin' } as const;
const ABSENT = 'the account has no such credential';

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
    const [vendor, name] = [requiredOption(input, 'vendor'), requiredOption(input, 'name')];
    const secret = await readStandardInput(SECRET_LENGTH_MAX);
    return atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const body = { vendor_code: vendor, name, secret, ...given(input, ['base-url']) };
      const made = await terminal.data('byok.create', { accountId, body, options: OPTIONS });
      say(input, made, [`credential ${made.id} (${vendor}, ${name}) added`]);
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
    atTerminal(input, async (terminal) => {
      // An account never has more than a page of them.
      const asked = { accountId: await terminal.account(), query: { size: PAGE_SIZE_MAX } };
      const columns = {
        ...{ ID: 'id', VENDOR: 'vendor_code', STATUS: 'status', SECRET: 'secret_hint' },
        ...{ CREATED: 'created_at', NAME: 'name', ADDRESS: 'base_url' },
      };
      await printPage(input, terminal, { operation: 'byok.page', asked, columns });
    }),
};

export const credentialSet: Command = {
  name: 'credential set',
  summary: 'Change a BYOK credential. A new address needs the secret again.',
  usage: '--account EMAIL --id ID [--name NAME] [--status S] [--base-url URL|none] [--secret-stdin] [--json]',
  options: {
    ...ACCOUNT_OPTION,
    ...{ id: TEXT, name: TEXT, status: TEXT, 'base-url': TEXT },
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
    const id = requiredOption(input, 'id');
    const { name, status, base_url: address } = given(input, ['name', 'status', 'base-url']);
    const isNew = input.values['secret-stdin'] === true;
    const secret = isNew ? await readStandardInput(SECRET_LENGTH_MAX) : undefined;
    if ([name, status, address, secret].every((value) => value === undefined)) {
      throw new UsageError('nothing to change: name at least one option');
    }
    const body = { id: numeric(id), name, status, base_url: orNull(address, 'none'), secret };
    return atTerminal(input, async (terminal) => {
      const asked = { accountId: await terminal.account(), body, options: OPTIONS, absent: ABSENT };
      say(input, await terminal.data('byok.update', asked), [`credential ${id} changed`]);
    });
  },
};

export const credentialRemove: Command = {
  name: 'credential remove',
  summary: 'Delete a BYOK credential. No later call uses it.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT },
  help: [ACCOUNT_HELP, ID_HELP, JSON_HELP],
  run: (input) => {
    const ids = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const asked = { accountId, query: { ids }, options: OPTIONS, absent: ABSENT };
      say(input, await terminal.data('byok.delete', asked), [`credential ${ids} removed`]);
    });
  },
};
