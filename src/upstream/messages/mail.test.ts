import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, test } from 'vitest';
import { needs, OPENSSL } from '../../../test/needs.ts';
import { certificateOf } from '../../../test/support/servers/certificate.ts';
import { type MailServer, readMail, startMailServer } from '../../../test/support/servers/mail-server.ts';
import { atTestEnd } from '../../../test/support/suite/ends.ts';
import { rawVendor } from '../../../test/support/upstream.ts';
import { createMailSender, isMailable, type MailSettings, readSender } from './mail.ts';

const MAIL = {
  id: 'msg_1',
  to: 'ada@example.com',
  subject: 'Credits are low: 12',
  text: 'Guthaben – 余额\n',
  html: '<p>余额</p>',
};
const FROM = 'Tollgate <alerts@tollgate.example.com>';

async function serve(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  atTestEnd(() => server.close());
  return server;
}

const send = (port: number, settings: Partial<MailSettings> = {}, mail = MAIL) =>
  createMailSender({
    url: `smtp://localhost:${port}`,
    ...{ from: FROM, tls: 'optional', waitMs: 5_000, ...settings },
  })(mail);

test('a mail arrives once with its id, its sender, and both forms of its text', async () => {
  const server = await serve();
  expect(await send(server.port)).toEqual({ kind: 'sent' });
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: 'alerts@tollgate.example.com', to: ['ada@example.com'] });
  const text = mail === undefined ? '' : readMail(mail);
  for (const part of ['Guthaben – 余额', '<p>余额</p>', 'From: Tollgate <alerts@tollgate.example.com>']) {
    expect(text).toContain(part);
  }
  expect(mail?.raw).toContain('Message-ID: <msg_1@tollgate.example.com>');
  expect(mail?.raw).toContain('Auto-Submitted: auto-generated');
  expect(server.mails).toHaveLength(1);
});

test('no header and no further receiver can be written into a mail', async () => {
  const server = await serve();
  const subject = 'Low\r\nBcc: victim@example.com\r\n\r\nbody';
  expect(await send(server.port, {}, { ...MAIL, subject })).toEqual({ kind: 'sent' });
  expect(server.mails[0]?.to).toEqual(['ada@example.com']);
  expect(server.mails[0]?.raw).not.toMatch(/^Bcc:/im);
  // The library itself would send the first of these to two people.
  const lists = ['x,victim@example.com', 'a;victim@example.com', 'g:victim@example.com', 'a(b)@example.com'];
  const breaks = [
    'a\r\nRCPT TO:<victim@example.com>@example.com',
    '<victim@example.com>',
    'a b@example.com',
    '',
  ];
  for (const to of [...lists, ...breaks, '"a"@example.com', 'a@[127.0.0.1]']) {
    expect(isMailable(to), to).toBe(false);
    expect(await send(server.port, {}, { ...MAIL, to })).toMatchObject({ kind: 'failed', final: true });
  }
  expect(server.mails).toHaveLength(1);
});

describe('with encryption', needs(OPENSSL), () => {
  const LOGIN = 'smtp://user%40x:pass%2Fword@localhost:';

  test('a login is sent after STARTTLS only, and a wrong one may be corrected', async () => {
    const { key, cert } = certificateOf('localhost');
    const server = await serve({
      ...{ key, cert, authOptional: false },
      onAuth: ({ username, password }, session, done) => {
        const isRight = session.secure && username === 'user@x' && password === 'pass/word';
        done(isRight ? null : new Error('no'), isRight ? { user: username } : undefined);
      },
    });
    const settings = { url: `${LOGIN}${server.port}`, tls: 'required', ca: cert } as const;
    expect(await send(server.port, settings)).toEqual({ kind: 'sent' });
    expect(server.mails[0]).toMatchObject({ secure: true, user: 'user@x' });
    const wrong = await send(server.port, { ...settings, url: `smtp://user:wrong@localhost:${server.port}` });
    expect(wrong).toMatchObject({ kind: 'failed', final: false });
    expect(JSON.stringify(wrong)).not.toContain('wrong');
  });

  test('a server that offers none gets nothing if it is required', async () => {
    const server = await serve({ disabledCommands: ['STARTTLS'] });
    expect(await send(server.port, { tls: 'required' })).toMatchObject({ kind: 'failed', final: false });
    expect(server.mails).toHaveLength(0);
  });

  test('a certificate of a stranger is not trusted, and smtps speaks TLS at once', async () => {
    const { key, cert } = certificateOf('localhost');
    const server = await serve({ key, cert, secure: true });
    const url = `smtps://localhost:${server.port}`;
    expect(await send(server.port, { url, tls: 'required' })).toMatchObject({ kind: 'failed', final: false });
    expect(await send(server.port, { url, tls: 'required', ca: cert })).toEqual({ kind: 'sent' });
  });
});

test.each([
  [451, 'greylisted, try again later', false],
  [550, 'no such mailbox', true],
])('a receiver that is refused with %i (%s) is final: %s', async (responseCode, message, final) => {
  const server = await serve({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error(message), { responseCode })),
  });
  const sent = await send(server.port);
  expect(sent).toMatchObject({ kind: 'failed', final });
  expect(sent).toMatchObject({ reason: expect.stringContaining(String(responseCode)) });
});

test('a server that is away, silent or speaks something else is tried again', async () => {
  const away = await serve();
  await away.close();
  expect(await send(away.port)).toMatchObject({ kind: 'failed', final: false });
  const silent = new URL(await rawVendor(() => undefined));
  expect(await send(Number(silent.port), { waitMs: 300 })).toMatchObject({ kind: 'failed', final: false });
});

test('the sender is an address with or without a name', () => {
  expect(readSender('alerts@example.com')).toEqual({ name: '', address: 'alerts@example.com' });
  expect(readSender(FROM)).toEqual({ name: 'Tollgate', address: 'alerts@tollgate.example.com' });
  for (const text of ['', 'Tollgate', 'a@b, c@d', 'A <a@b> <c@d>', '"x" <a@b>\r\nBcc: c@d']) {
    expect(readSender(text), text).toBeUndefined();
  }
});
