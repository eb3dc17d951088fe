import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
export interface ArrivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** All of it, headers and body. */
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

/** A real SMTP server that keeps what it is given. */
export interface MailServer {
  readonly port: number;
  readonly mails: ArrivedMail[];
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ArrivedMail[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, disableReverseLookup: true, logger: false },
    onData: (stream, session, done) => {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString('utf8');
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const user = typeof session.user === 'string' ? session.user : undefined;
        mails.push({ from, to: rcptTo.map(({ address }) => address), raw, secure: session.secure, user });
        done();
      });
    },
    ...options,
  });
  // A client that leaves early is no fault of the test.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => listening.once('listening', () => resolve()));
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A part of a mail as text: its encodings taken off. */
export function readMail({ raw }: ArrivedMail): string {
  const parts = raw.split(/\r\n--[^\r\n]+\r\n/);
  return parts.map(decodePart).join('\n');
}

function decodePart(part: string): string {
  const at = part.indexOf('\r\n\r\n');
  const [head, body] = [part.slice(0, at), part.slice(at + 4)];
  if (/^content-transfer-encoding: base64/im.test(head)) {
    return `${head}\n${Buffer.from(body.replace(/\s/g, ''), 'base64').toString('utf8')}`;
  }
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return part;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `${head}\n${Buffer.from(bytes, 'latin1').toString('utf8')}`;
}
