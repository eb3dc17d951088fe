import type { Mail, Sent, Webhook } from '../../src/alerts/contract.ts';
import { Deliveries } from '../../src/alerts/deliver.ts';
import { newSealer } from '../../src/kernel/encoding/seal.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { seededRandom, systemRandom } from '../../src/kernel/random.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { addChannel, type NewChannel } from '../../src/store/alerts/channels.ts';
import { createOutbox } from '../../src/store/alerts/outbox.ts';
import type { Database } from '../../src/store/database.ts';

export const alertSealer = newSealer(['the secret of tests of alerts, long enough'], systemRandom);

export const WEBHOOK: NewChannel = {
  ...{ kind: 'webhook', name: 'hook', target: 'https://example.com/hook', language: 'en' },
  ...{ alerts: ['route-down', 'credits-low'], secret: 'whsec_c2VjcmV0IG9mIGEgdGVzdA==' },
};

/** A channel of an account, or of operators; its id. */
export async function channelOf(
  database: Database,
  owner: number | undefined,
  change: Partial<NewChannel> = {},
): Promise<number> {
  const id = await addChannel(database, owner, { ...WEBHOOK, ...change }, alertSealer);
  if (id === undefined) throw new Error('too many channels');
  return id;
}

/** One node that delivers. What it sends is kept, and `answer` says how it went. */
export function deliverer(database: Database, answer: (what: Mail | Webhook) => Sent | Promise<Sent>) {
  const sent: (Mail | Webhook)[] = [];
  const keep = async (what: Mail | Webhook): Promise<Sent> => {
    sent.push(what);
    return answer(what);
  };
  const deliveries = new Deliveries({
    outbox: createOutbox(database, alertSealer),
    ...{ sendMail: keep, sendWebhook: keep, publicUrl: 'https://tollgate.example.com' },
    ...{ clock: systemClock, random: seededRandom(7), log: silentLogger },
  });
  return { sent, run: () => deliveries.run(), stop: () => deliveries.stop() };
}

export const SENT = { kind: 'sent' } as const;
