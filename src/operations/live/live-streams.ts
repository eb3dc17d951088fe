import { LIVE_TOKEN_CHARS_MAX } from '../bounds.ts';
import { type Context, type LiveReader, ownAccount } from '../context.ts';
import { CALL_EXAMPLE } from '../logs/log-examples.ts';
import { type EventsAnswer, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';

const QUERY = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: LIVE_TOKEN_CHARS_MAX,
      description: 'The id of the last event that was received. The header `Last-Event-ID` counts instead.',
    }),
  ),
});

const STREAM = {
  method: 'GET',
  path: '/live',
  query: QUERY,
  events: true,
  file: 'text/event-stream',
  data: Type.String({ description: 'Server-sent events. The data of each is one line of JSON.' }),
  example: { data: `event: call\nid: t1abc2.3m8\ndata: ${JSON.stringify(CALL_EXAMPLE)}\n\n` },
  fails: ['busy'],
} as const;

function createEventsAnswer(of: LiveReader['of'], after: string | undefined, context: Context): EventsAnswer {
  const { caller, live } = context;
  const accountId = ownAccount(context);
  const reader = { role: 'user', sessionId: '', ...caller, accountId, of } as const;
  return { kind: 'events', open: (sink) => live.join(reader, after, sink) };
}

const own = operation({
  ...STREAM,
  ...{ surface: 'user', access: 'user', tag: 'Logs' },
  name: 'live.own',
  id: 'watchAccount',
  title: 'Watch my account',
  summary: 'Calls, limits and money of the account as they change.',
  handle: async ({ query }, context) => createEventsAnswer('account', query.after, context),
});

const all = operation({
  ...STREAM,
  ...{ ...OPERATORS, tag: 'Calls' },
  name: 'live.platform',
  id: 'watchPlatform',
  title: 'Watch the platform',
  summary: 'The calls of all accounts, and the health of credentials, routes and nodes, as they change.',
  handle: async ({ query }, context) => createEventsAnswer('platform', query.after, context),
});

export const ownLiveOperations: readonly Operation[] = [own];
export const platformLiveOperations: readonly Operation[] = [all];
