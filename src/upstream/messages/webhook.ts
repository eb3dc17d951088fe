import { createHmac } from 'node:crypto';
import { WEBHOOK_ANSWER_BYTES_MAX, WEBHOOK_WAIT_MS } from '../../alerts/bounds.ts';
import type { SendWebhook, Sent, Webhook } from '../../alerts/contract.ts';
import type { Random } from '../../kernel/random.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { VERSION } from '../../kernel/version.ts';
import type { UpstreamClient } from '../contract.ts';
import { type AskReply, ask } from '../http/ask.ts';

const SECRET_MARK = 'whsec_';
const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks. Its owner sees it once. */
export function newWebhookSecret(random: Random): string {
  return SECRET_MARK + random.bytes(SECRET_BYTES).toString('base64');
}

/**
 * The signature of Standard Webhooks: HMAC-SHA256 over id, seconds and body. The time is signed, so that a
 * receiver can refuse an old message that somebody recorded.
 */
export function signWebhook(
  { id, secret, body }: Pick<Webhook, 'id' | 'secret' | 'body'>,
  seconds: number,
): string {
  const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/**
 * Posts to addresses that users name, as calls with BYOK credentials do: the name's addresses are checked at
 * every connection, no redirect is followed, and time and bytes are bounded.
 */
export function createWebhookSender(
  client: UpstreamClient,
  clock: Clock,
  waitMs: number = WEBHOOK_WAIT_MS,
): SendWebhook {
  return async (webhook) => {
    const url = URL.parse(webhook.url);
    if (url === null) return { kind: 'failed', reason: 'the address cannot be read', final: true };
    const seconds = Math.floor(clock.now() / 1000);
    const headers = [
      ...['content-type', 'application/json', 'user-agent', `tollgate/${VERSION}`],
      ...['webhook-id', webhook.id, 'webhook-timestamp', String(seconds)],
      ...['webhook-signature', signWebhook(webhook, seconds)],
    ];
    const path = url.pathname + url.search;
    const body = [Buffer.from(webhook.body)];
    const request = { origin: url.origin, reach: 'public', path, method: 'POST', headers, body } as const;
    return judge(await ask(client, request, { waitMs, bytesMax: WEBHOOK_ANSWER_BYTES_MAX }));
  };
}

const GONE = 410;

/** Neither the resolved address nor anything of the answer but its status is told. */
const REASONS: Readonly<Record<Extract<AskReply, { kind: 'failed' }>['reason'], string>> = {
  busy: 'too many messages to this address at once',
  connect: 'the address cannot be reached',
  timeout: 'no answer came in time',
  idle: 'no answer came in time',
  reset: 'the connection broke before an answer came',
  protocol: 'what answers there does not speak HTTP',
  'too-large': 'the answer is too large',
};

function judge(reply: AskReply): Sent {
  if (reply.kind === 'failed') return { kind: 'failed', reason: REASONS[reply.reason], final: false };
  const { status } = reply.head;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status >= 300 && status < 400) {
    return { kind: 'failed', reason: `redirected with ${status}, and no redirect is followed`, final: false };
  }
  // The receiver says that it wants no more.
  return { kind: 'failed', reason: `answered with ${status}`, final: status === GONE };
}
