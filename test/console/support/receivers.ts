import { freePort } from '../../support/servers/free-port.ts';
import { type HookServer, startHookServer } from '../../support/servers/hook-server.ts';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.ts';

/** Who gets what a server sends: a real mail server and a receiver of webhooks. */
export interface Receivers {
  readonly mail: MailServer;
  readonly hooks: HookServer;
  /** The settings of a server that sends to them, at an address that it knows before it begins. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A webhook to here is refused for ever, so its message is given up at once. */
export const GONE = '/gone';

export async function startReceivers(): Promise<Receivers> {
  const [mail, hooks, port] = await Promise.all([startMailServer(), startHookServer(), freePort()]);
  hooks.answers.set(GONE, 410);
  return {
    mail,
    hooks,
    environment: {
      TOLLGATE_PORT: String(port),
      TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
      TOLLGATE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TOLLGATE_SMTP_TLS: 'optional',
      TOLLGATE_MAIL_FROM: 'Tollgate <alerts@example.com>',
      TOLLGATE_WEBHOOK_HOSTS: hooks.host,
    },
    close: async () => {
      await hooks.close();
      await mail.close();
    },
  };
}
