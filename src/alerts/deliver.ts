import type { Logger } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  DELIVERIES_AT_ONCE,
  DELIVERY_ATTEMPTS_MAX,
  DELIVERY_ERROR_CHARS_MAX,
  DELIVERY_ROUNDS_MAX,
  MESSAGE_AGE_MS_MAX,
} from './bounds.ts';
import { composeMail, composeWebhook, needsToken } from './compose.ts';
import type { Delivery, Outbox, SendMail, SendWebhook, Sent } from './contract.ts';
import { retryWaitMs } from './schedule.ts';

export interface DeliveryParts {
  readonly outbox: Outbox;
  /** Undefined: no mail server is configured. */
  readonly sendMail: SendMail | undefined;
  readonly sendWebhook: SendWebhook;
  /** Where links lead. */
  readonly publicUrl: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Sends what waits in the outbox. A message is marked after it was sent, so a process that dies between the
 * two makes another send it again with the same id: at least once, and never lost.
 */
export class Deliveries {
  readonly #parts: DeliveryParts;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** One at a time. Who asks meanwhile makes it look once more. Never throws. */
  run(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** What is being sent is finished; the rest waits for another process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #work(): Promise<void> {
    const { outbox, log } = this.#parts;
    try {
      for (let rounds = 0; rounds < DELIVERY_ROUNDS_MAX && !this.#stopped; rounds++) {
        this.#again = false;
        const taken = await outbox.take(DELIVERIES_AT_ONCE);
        await Promise.all(taken.map((delivery) => this.#deliver(delivery)));
        if (taken.length === 0 && !this.#again) return;
      }
    } catch (error) {
      log.debug({ err: error }, 'the outbox could not be read; it is tried again');
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { outbox, random, log } = this.#parts;
    const { id, attempts, kind, channel } = delivery;
    try {
      const sent = await this.#send(delivery);
      if (sent.kind === 'sent') return await outbox.markSent(id);
      const reason = sent.reason.slice(0, DELIVERY_ERROR_CHARS_MAX);
      if (sent.final || attempts >= DELIVERY_ATTEMPTS_MAX) {
        log.warn({ message: id, kind, channel, reason }, 'a message could not be sent and is kept');
        return await outbox.markDead(id, reason);
      }
      await outbox.markFailed(id, reason, retryWaitMs(attempts, random));
    } catch (error) {
      // It is taken again when its time is over.
      log.debug({ err: error, message: id }, 'the outbox could not be written');
    }
  }

  async #send(delivery: Delivery): Promise<Sent> {
    const { sendMail, sendWebhook, publicUrl, clock } = this.#parts;
    if (!delivery.isOpen) return refused('the channel is disabled');
    if (clock.now() - delivery.createdAtMs > MESSAGE_AGE_MS_MAX) return refused('the message is too old');
    const { target, language, messageId: id } = delivery;
    if (delivery.channel === 'webhook') {
      const { webhookSecret: secret } = delivery;
      if (secret === undefined) return refused('the secret of the webhook cannot be opened');
      return sendWebhook({ id, url: target, secret, body: composeWebhook(delivery, language, publicUrl) });
    }
    if (needsToken(delivery) && delivery.token === undefined) return refused('its link is no longer valid');
    if (sendMail === undefined) return { kind: 'failed', reason: NO_MAIL, final: false };
    return sendMail({ id, to: target, ...composeMail(delivery, language, publicUrl) });
  }
}

const NO_MAIL = 'no mail server is configured (TOLLGATE_SMTP_URL)';

function refused(reason: string): Sent {
  return { kind: 'failed', reason, final: true };
}
