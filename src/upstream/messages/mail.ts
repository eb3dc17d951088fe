import { MAIL_WAIT_MS } from '../../alerts/bounds.ts';
import type { Mail, SendMail, Sent } from '../../alerts/contract.ts';

export interface MailSettings {
  /** `smtp://user:password@host:587` or `smtps://…`. Never logged. */
  readonly url: string;
  /** `Tollgate <alerts@example.com>` or the address alone. */
  readonly from: string;
  /** `optional`: also without encryption, for a server on the same machine. */
  readonly tls: 'required' | 'optional';
  /** Certificates that are trusted besides those of the system, for tests. */
  readonly ca?: string;
  readonly waitMs?: number;
}

/**
 * An address that is one address wherever it is written: mail libraries split lists at commas, semicolons and
 * colons, and read brackets and quotes as something else.
 */
const MAILABLE = /^[^\s@,;:()<>[\]"\\\p{Cc}\p{Cf}]+@[^\s@,;:()<>[\]"\\\p{Cc}\p{Cf}]+$/u;

export function isMailable(address: string): boolean {
  return address.length <= 254 && MAILABLE.test(address);
}

/** The sender's name and address of a setting; undefined if it is neither form. */
export function readSender(text: string): { readonly name: string; readonly address: string } | undefined {
  const named = /^([^<>"\r\n]*)<([^<>]+)>$/.exec(text.trim());
  const [name, address] =
    named === null ? ['', text.trim()] : [named[1]?.trim() ?? '', named[2]?.trim() ?? ''];
  return isMailable(address) ? { name, address } : undefined;
}

/** Sends over a connection for each mail. The library is loaded with the first one. */
export function createMailSender(settings: MailSettings): SendMail {
  const sender = readSender(settings.from);
  return async (mail) => {
    if (sender === undefined) return failed('the sender (TOLLGATE_MAIL_FROM) is no address');
    if (!isMailable(mail.to)) return { kind: 'failed', reason: 'the address cannot be mailed', final: true };
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(toOptions(settings));
    try {
      await transport.sendMail(toMessage(mail, sender));
      return { kind: 'sent' };
    } catch (error) {
      return judge(error);
    } finally {
      transport.close();
    }
  };
}

function toOptions({ url: text, tls, ca, waitMs = MAIL_WAIT_MS }: MailSettings) {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    secure,
    requireTLS: tls === 'required',
    ...(user !== '' && { auth: { user, pass } }),
    // Without a duty to encrypt, a certificate that nobody vouches for is no worse than none.
    tls: { rejectUnauthorized: tls === 'required', ...(ca !== undefined && { ca }) },
    ...{ connectionTimeout: waitMs, greetingTimeout: waitMs, socketTimeout: waitMs, dnsTimeout: waitMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}

function toMessage({ id, to, subject, text, html }: Mail, sender: { name: string; address: string }) {
  const [, domain = 'localhost'] = sender.address.split('@');
  return {
    from: sender,
    to: { name: '', address: to },
    // Explicitly, so that nothing in a header decides who gets the mail.
    envelope: { from: sender.address, to: [to] },
    ...{ subject, text, html, messageId: `<${id}@${domain}>` },
    // Neither out-of-office replies nor other machines answer to it.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** What servers refuse of a mail itself: its receiver, or what it says. */
const OF_THE_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

/** A 5xx to the mail is final. A server or a login that is wrong is the operator's to correct. */
function judge(error: unknown): Sent {
  const { responseCode, code } = error as { readonly responseCode?: unknown; readonly code?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const final = status >= 500 && OF_THE_MAIL.has(code);
  const what = typeof code === 'string' ? code : 'the connection failed';
  return { kind: 'failed', reason: status === 0 ? what : `${what}, answered with ${status}`, final };
}

function failed(reason: string): Sent {
  return { kind: 'failed', reason, final: false };
}
