import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, readConfig } from './config.ts';

function errorsOf(environment: Record<string, string>): readonly string[] {
  const result = readConfig(environment);
  return result.kind === 'config-errors' ? result.errors : [];
}

test('an empty environment gives the default settings, frozen', () => {
  const result = readConfig({});
  if (result.kind !== 'config') throw new Error(result.errors.join());
  expect(result.config).toMatchObject({ host: '0.0.0.0', port: 8080, creditsPerYuan: 1000, timeZone: 'UTC' });
  expect(Object.isFrozen(result.config)).toBe(true);
});

test('all wrong values are reported at once, each with its variable and reason', () => {
  const errors = errorsOf({
    TOLLGATE_PORT: '70000',
    TOLLGATE_TIMEZONE: 'Mars/Base',
    TOLLGATE_SECRET: 'short',
    TOLLGATE_ROLE: 'king',
    DATABASE_URL: 'mysql://x',
    TOLLGATE_PROT: '1',
  });
  expect(errors).toEqual([
    'TOLLGATE_PROT: not a setting of Tollgate, check the spelling',
    'TOLLGATE_PORT: must be a whole number from 0 to 65535',
    'TOLLGATE_ROLE: must be one of all, gateway, platform',
    'TOLLGATE_SECRET: must have at least 32 bytes',
    'DATABASE_URL: must begin with postgres://',
    'TOLLGATE_TIMEZONE: must be an IANA time zone, e.g. UTC',
  ]);
});

test('the way around a pooler needs the pooler', () => {
  const direct = { TOLLGATE_DATABASE_DIRECT_URL: 'postgres://server/db' };
  expect(errorsOf(direct)).toEqual([
    'TOLLGATE_DATABASE_DIRECT_URL: needs DATABASE_URL, whose way around a pooler it is',
  ]);
  expect(errorsOf({ ...direct, DATABASE_URL: 'postgres://pooler/db' })).toEqual([]);
});

test.each(['-1', '1e3', '8080x', '0x10', '٣'])('port %j is refused', (port) => {
  expect(errorsOf({ TOLLGATE_PORT: port })).toHaveLength(1);
});

test.each(['', ' '])('an empty variable %j means its default', (port) => {
  expect(readConfig({ TOLLGATE_PORT: port })).toMatchObject({ kind: 'config', config: { port: 8080 } });
});

test('a settings file is read, and the environment wins over it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-config-'));
  const file = join(directory, 'tollgate.env');
  writeFileSync(file, '# comment\nTOLLGATE_DRAIN_MS=7\nTOLLGATE_NODE="north"\n');
  const result = loadConfig(file);
  rmSync(directory, { recursive: true });
  expect(result).toMatchObject({ kind: 'config', config: { drainMs: 7, nodeName: 'north' } });
  expect(loadConfig(file)).toMatchObject({ kind: 'config-errors' });
});

test('media hosts are normalised as addresses are', () => {
  const given = ' Media.Internal, 10.0.0.5:8080,[::1]:9000 ,,cdn.test:80,files.test:443';
  const result = readConfig({ TOLLGATE_MEDIA_HOSTS: given });
  if (result.kind !== 'config') throw new Error(result.errors.join());
  const hosts = ['media.internal', '10.0.0.5:8080', '[::1]:9000', 'cdn.test', 'files.test'];
  expect(result.config.mediaHosts).toEqual(hosts);
  expect(readConfig({})).toMatchObject({ config: { mediaHosts: [] } });
});

test.each(['http://a.test', 'a.test/path', 'user@a.test', 'a b', 'a.test:99999', '*'])(
  'a media host %j is refused',
  (host) => {
    expect(errorsOf({ TOLLGATE_MEDIA_HOSTS: host })).toEqual([
      'TOLLGATE_MEDIA_HOSTS: must be a list of hosts, each with or without a port, separated by commas',
    ]);
  },
);

test('trusted proxies are addresses and networks', () => {
  const result = readConfig({ TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7 ,2001:db8::/32' });
  expect(result).toMatchObject({ config: { trustedProxies: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] } });
});

test.each([
  '10.0.0.0/33',
  '10.0.0',
  'proxy.test',
  '10.0.0.1/',
  '::1/129',
  'fe80::1%eth0',
  '1.1.1.1/8/8',
  '*',
])('a trusted proxy %j is refused', (TOLLGATE_TRUSTED_PROXIES) => {
  const errors = [expect.stringMatching(/^TOLLGATE_TRUSTED_PROXIES: must be a list of addresses or CIDRs/)];
  expect(readConfig({ TOLLGATE_TRUSTED_PROXIES })).toEqual({ kind: 'config-errors', errors });
});

test('origins are normalised as browsers write them', () => {
  const given = 'https://App.Example:443, http://localhost:5173 ,*,https://[::1]:8443';
  const corsOrigins = ['https://app.example', 'http://localhost:5173', '*', 'https://[::1]:8443'];
  expect(readConfig({ TOLLGATE_CORS_ORIGINS: given })).toMatchObject({ config: { corsOrigins } });
  expect(readConfig({})).toMatchObject({ config: { corsOrigins: [] } });
});

test('origins of desktop and mobile apps and of browser extensions are taken, and `null`', () => {
  const corsOrigins = [
    'app://obsidian.md',
    'tauri://localhost',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
    'vscode-webview://0a-1b',
    'app://localhost:3000',
    'null',
  ];
  const given = corsOrigins.join(', ').replace('tauri:', 'Tauri:');
  expect(readConfig({ TOLLGATE_CORS_ORIGINS: given })).toMatchObject({ config: { corsOrigins } });
});

test.each([
  ...['https://app.example/', 'https://app.example/path', 'https://app.example?x', 'https://app.example#x'],
  ...['app.example', 'ftp://app.example', 'file:///x', 'NULL', 'https://user@app.example', 'https://'],
  ...['https://*.example', 'https://a b', 'https://app.example:99999', '**', 'https://a.example\\b'],
  ...[
    'app://',
    'app:x',
    'app://a/',
    'app://a/b',
    'app://u@a',
    'app://*',
    'app://a?x',
    'app://a:99999',
    'app://é',
  ],
  ...[
    'data:x',
    'javascript://x',
    'blob:https://x/1',
    'blob://x',
    'about://x',
    'file://host',
    'wss://x',
    '1a://x',
  ],
])('an origin %j is refused by name', (wrong) => {
  expect(errorsOf({ TOLLGATE_CORS_ORIGINS: `https://good.example, ${wrong}` })).toEqual([
    `TOLLGATE_CORS_ORIGINS: ${wrong} is not an origin: write https://host, https://host:port or app://host, no path, or null or *`,
  ]);
});

test('several workers without Redis are refused with a message that names both settings', () => {
  expect(errorsOf({ TOLLGATE_WORKERS: '4' })).toEqual([
    'TOLLGATE_WORKERS: more than one worker needs REDIS_URL, because the workers share the limits',
  ]);
  const together = { TOLLGATE_WORKERS: '4', REDIS_URL: 'redis://127.0.0.1:6379' };
  expect(readConfig(together)).toMatchObject({ config: { workers: 4, redisUrl: 'redis://127.0.0.1:6379' } });
  expect(errorsOf({ TOLLGATE_WORKERS: '65' })).toEqual([
    'TOLLGATE_WORKERS: must be a whole number from 1 to 64',
  ]);
});

test.each([
  '127.0.0.1:6379',
  'redis://',
  'redis://a:1,b:2',
  'http://a',
  'redis://a:1,',
  'redis://a,sentinel://b',
])('Redis at %j is refused', (url) => {
  expect(errorsOf({ REDIS_URL: url })).toEqual([
    'REDIS_URL: every address must begin with redis:// or rediss://, or every one with sentinel://',
  ]);
});

test('the seeds of a Redis cluster are listed in order', () => {
  const seeds = ' redis://:word@10.0.0.1:7000 , rediss://redis.internal:7001/0';
  expect(readConfig({ REDIS_URL: seeds })).toMatchObject({
    config: { redisUrl: 'redis://:word@10.0.0.1:7000,rediss://redis.internal:7001/0' },
  });
});

test('the public address is a web address without a trailing slash', () => {
  const publicUrl = 'https://example.com/tollgate';
  expect(readConfig({ TOLLGATE_PUBLIC_URL: `${publicUrl}/` })).toMatchObject({ config: { publicUrl } });
  for (const wrong of ['example.com', 'ftp://example.com', 'https://', 'https://a b']) {
    expect(errorsOf({ TOLLGATE_PUBLIC_URL: wrong })).toEqual([
      'TOLLGATE_PUBLIC_URL: must begin with https:// or http://',
    ]);
  }
});

describe('an egress proxy', () => {
  test('is read from the variables that all programs read, in capitals first', () => {
    const lower = {
      https_proxy: 'http://lower:1',
      http_proxy: 'plain:2',
      no_proxy: 'a.test, .b.test 10.0.0.0/8',
    };
    expect(readConfig(lower)).toMatchObject({
      config: {
        httpsProxy: 'http://lower:1',
        httpProxy: 'http://plain:2',
        noProxy: ['a.test', '.b.test', '10.0.0.0/8'],
      },
    });
    const both = {
      ...lower,
      HTTPS_PROXY: 'https://user:w%C3%B6rd@upper:3128',
      NO_PROXY: '*',
      HTTP_PROXY: ' ',
    };
    expect(readConfig(both)).toMatchObject({
      config: {
        httpsProxy: 'https://user:w%C3%B6rd@upper:3128',
        httpProxy: 'http://plain:2',
        noProxy: ['*'],
      },
    });
    expect(readConfig({})).toMatchObject({
      config: { httpsProxy: undefined, httpProxy: undefined, noProxy: [] },
    });
  });

  test('with an invalid address prevents the start, and its password is not printed', () => {
    for (const wrong of ['socks5://user:word@proxy', 'http://user:word%@proxy', 'user:word@proxy/path']) {
      expect(errorsOf({ HTTPS_PROXY: wrong, http_proxy: wrong })).toEqual([
        expect.stringMatching(/^HTTPS_PROXY: must be http:\/\/host:port/),
        expect.stringMatching(/^HTTP_PROXY: must be http:\/\/host:port/),
      ]);
      expect(errorsOf({ HTTPS_PROXY: wrong }).join()).not.toContain('word@proxy');
    }
    expect(errorsOf({ NO_PROXY: 'a.test, http://user:word@b.test' })).toEqual([
      'NO_PROXY: entry 2 is neither host, host:port, address, CIDR nor *',
    ]);
  });
});

describe('mail', () => {
  const MAIL = {
    TOLLGATE_SMTP_URL: 'smtp://user:pa%2Fss@mail.example.com:587',
    TOLLGATE_MAIL_FROM: 'Tollgate <alerts@example.com>',
    TOLLGATE_PUBLIC_URL: 'https://tollgate.example.com',
  };

  test('needs a server, a sender, and an address for its links', () => {
    expect(readConfig(MAIL)).toMatchObject({
      config: { smtpUrl: MAIL.TOLLGATE_SMTP_URL, smtpTls: 'required' },
    });
    expect(errorsOf({ TOLLGATE_SMTP_URL: MAIL.TOLLGATE_SMTP_URL })).toEqual([
      'TOLLGATE_SMTP_URL: needs TOLLGATE_MAIL_FROM, the sender of its mails',
      'TOLLGATE_SMTP_URL: needs TOLLGATE_PUBLIC_URL, where the links of its mails lead',
    ]);
  });

  test('a wrong address is named without its password, and a sender is one address', () => {
    for (const url of [
      'https://user:hidden@x',
      'smtp://',
      'user:hidden@mail.example.com',
      'smtp:// hidden@x',
    ]) {
      const errors = errorsOf({ ...MAIL, TOLLGATE_SMTP_URL: url });
      expect(errors, url).toEqual([expect.stringMatching(/^TOLLGATE_SMTP_URL: must be smtp:/)]);
      expect(errors.join()).not.toContain('hidden');
    }
    expect(errorsOf({ ...MAIL, TOLLGATE_MAIL_FROM: 'alerts@example.com' })).toEqual([]);
    for (const from of ['Tollgate', 'a@b, c@d', 'A <a@b> <c@d>', 'x <a,b@c>']) {
      expect(errorsOf({ ...MAIL, TOLLGATE_MAIL_FROM: from }), from).toEqual([
        'TOLLGATE_MAIL_FROM: must be an address, or Name <address>',
        'TOLLGATE_SMTP_URL: needs TOLLGATE_MAIL_FROM, the sender of its mails',
      ]);
    }
  });
});
