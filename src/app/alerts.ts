import { CONDITIONS_MS, DOCTOR_TIME_MS, OUTBOX_MS } from '../alerts/bounds.ts';
import type { ConditionSource } from '../alerts/contract.ts';
import { Deliveries } from '../alerts/deliver.ts';
import { AlertRounds } from '../alerts/rounds.ts';
import type { Config } from '../config.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCalendar, createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createNodeSource, doctorCondition } from '../store/alerts/node-conditions.ts';
import { createOutbox, followOutbox } from '../store/alerts/outbox.ts';
import { createAlertStore } from '../store/alerts/states.ts';
import { createUserSources } from '../store/alerts/user-conditions.ts';
import { examine } from '../store/operations/doctor.ts';
import { createUpstreamClient } from '../upstream/http/client.ts';
import { createChooseProxy } from '../upstream/http/egress-proxy.ts';
import { createMailSender } from '../upstream/messages/mail.ts';
import { createWebhookSender } from '../upstream/messages/webhook.ts';
import type { AppContext } from './app-context.ts';
import type { Data } from './store.ts';

/** Rounds are asked for a few times in each of their intervals, so that another node soon takes over. */
const ROUNDS_ASKED_MS = CONDITIONS_MS / 4;

/** Those of every round, and the one of once a day. */
interface Sources {
  readonly each: readonly ConditionSource[];
  readonly doctor: ConditionSource;
}

/**
 * Sends what waits in the outbox and looks for conditions, in processes that serve the platform. All of them
 * may: the database decides who does what.
 */
export async function startAlerts(
  { database, sealer }: Data,
  sources: Sources,
  { config, log, cleanup, post }: AppContext,
): Promise<void> {
  // One worker of several is enough, and leaves the connections of the others to calls.
  if (config.role === 'gateway' || (post !== undefined && post.number !== 1)) return;
  const chooseProxy = createChooseProxy(config);
  const client = createUpstreamClient({
    clock: systemClock,
    log,
    ownHosts: config.webhookHosts,
    chooseProxy,
  });
  cleanup.add(() => client.close());
  const deliveries = new Deliveries({
    outbox: createOutbox(database, sealer),
    sendMail: mailSender(config),
    sendWebhook: createWebhookSender(client, systemClock),
    ...{ publicUrl: config.publicUrl, clock: systemClock, random: systemRandom, log },
  });
  const { each, doctor } = sources;
  const rounds = new AlertRounds({ store: createAlertStore(database), sources: each, doctor, log });
  const sending = setInterval(() => void deliveries.run(), OUTBOX_MS);
  const looking = setInterval(() => void rounds.run(), ROUNDS_ASKED_MS);
  const stopFollowing = await followOutbox(database, () => void deliveries.run());
  cleanup.add(async () => {
    clearInterval(sending);
    clearInterval(looking);
    await stopFollowing();
    await Promise.all([deliveries.stop(), rounds.stop()]);
  });
}

/** What alerts are derived from: records of the database, on whichever node. */
export function createConditionSources(
  { database }: Pick<Data, 'database'>,
  { config }: Pick<AppContext, 'config'>,
): Sources {
  const { month } = createCalendar(config.timeZone);
  const { showTime } = createTimes(config.timeZone);
  const { creditsPerYuan } = config;
  const user = createUserSources({ database, clock: systemClock, creditsPerYuan, month, showTime });
  return {
    each: [createNodeSource(database), ...user],
    doctor: {
      kinds: ['doctor-finding'],
      find: async () => {
        const untilMs = systemClock.monotonic() + DOCTOR_TIME_MS;
        return doctorCondition(await examine(database, () => systemClock.monotonic() < untilMs));
      },
    },
  };
}

function mailSender({ smtpUrl, smtpTls, mailFrom }: Config) {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  return createMailSender({ url: smtpUrl, from: mailFrom, tls: smtpTls });
}
