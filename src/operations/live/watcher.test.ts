import { expect, test } from 'vitest';
import { systemClock } from '../../kernel/time/clock.ts';
import { Watcher } from './watcher.ts';

function stage() {
  const told: string[] = [];
  const reader = { accountId: 1, role: 'user', sessionId: 's', of: 'account' } as const;
  const sink = {
    send: ({ name, data }: { name: string; data: unknown }) =>
      void told.push(`${name} ${JSON.stringify(data)}`),
    end: () => void told.push('end'),
  };
  return { told, watcher: new Watcher(reader, sink, systemClock) };
}

test('what arrives before the place is known waits, and no call is sent twice, in whatever order', () => {
  const { told, watcher } = stage();
  for (const id of [5, 8]) watcher.call({ id }, id);
  watcher.changed('limits', {}, 'early');
  expect(told).toEqual([]);
  watcher.begin({ floor: 6, known: [9] });
  for (const id of [9, 12, 11, 12, 8, 7]) watcher.call({ id }, id);
  expect(told).toEqual(['ready {}', 'call 8', 'call 12', 'call 11', 'call 7']);
  watcher.raise(11);
  for (const id of [10, 12, 13]) watcher.call({ id }, id);
  expect(told.slice(5)).toEqual(['call 13']);
});

test('a state is told once until it changes, and the store’s absence once', () => {
  const { told, watcher } = stage();
  watcher.begin({ floor: 0, known: [] });
  for (const key of ['a', 'a', 'b']) watcher.changed('limits', { key }, key);
  for (const state of ['stale', 'stale', 'fresh', 'fresh'] as const) watcher.setStore(state);
  watcher.end({ name: 'session-ended', data: {} });
  expect(told.slice(1)).toEqual([
    'limits {"key":"a"}',
    'limits {"key":"b"}',
    ...['stale {}', 'fresh {}', 'session-ended {}', 'end'],
  ]);
});
