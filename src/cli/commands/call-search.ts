import { systemClock } from '../../kernel/time/clock.ts';
import { searchCalls } from '../../store/logs/call-search.ts';
import { JSON_HELP } from '../account/account-option.ts';
import { type Command, EXIT, stringOption } from '../command.ts';
import { say } from '../table.ts';
import { optionalValue, readPageSize, SIZE_HELP, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';
import { callJson, callTable } from './call.ts';

const TEXT = { type: 'string' } as const;

export const callSearch: Command = {
  name: 'call search',
  summary: 'Search the calls of all accounts, newest first. For one call by its id: "call show".',
  usage: '[--model NAME] [--key ID] [--status CODE] [--size N] [--json]',
  options: { model: TEXT, key: TEXT, status: TEXT, size: TEXT, json: { type: 'boolean' } },
  help: [
    '--model NAME     model that served the call; if none did, the requested model',
    '--key ID         number of the key',
    '--status CODE    HTTP status',
    SIZE_HELP,
    JSON_HELP,
  ],
  run: (input) => {
    const wanted = {
      model: stringOption(input, 'model'),
      keyId: optionalValue(input, 'key', wholeNumber),
      status: optionalValue(input, 'status', wholeNumber),
      size: readPageSize(input),
    };
    return withStore(input, async ({ database, config }) => {
      const { items } = await searchCalls({ database, clock: systemClock }, wanted);
      const json = items.map((call) => ({
        account_id: call.accountId,
        email: call.email,
        ...callJson(call, config.timeZone),
      }));
      say(input, json, callTable(items, config.timeZone));
      return EXIT.ok;
    });
  },
};
