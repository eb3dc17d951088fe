import { describe, expect, test } from 'vitest';
import { HOSTED_ADDRESS_CHARS_MAX } from '../../bounds.ts';
import { judgeByokAddress } from './byok-address.ts';

const NONE: ReadonlySet<string> = new Set();

describe('an address of a BYOK credential', () => {
  test.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1///', 'https://api.example.com/v1'],
    ['https://api.example.com', 'https://api.example.com'],
    ['HTTPS://API.Example.COM:443/v1', 'https://api.example.com/v1'],
    ['https://api.example.com:8443/a%20b', 'https://api.example.com:8443/a%20b'],
    ['https://8.8.8.8/v1', 'https://8.8.8.8/v1'],
    ['https://[2606:4700::1111]/v1', 'https://[2606:4700::1111]/v1'],
    ['https://my-resource.openai.azure.com/openai/v1', 'https://my-resource.openai.azure.com/openai/v1'],
    ['https://api.example.com/@cf/meta', 'https://api.example.com/@cf/meta'],
    // An empty user vanishes when the address is read, and nothing of it is kept.
    ['https://@api.example.com', 'https://api.example.com'],
    ['https://bücher.example/v1', 'https://xn--bcher-kva.example/v1'],
  ])('%s is taken as %s', (text, baseUrl) => {
    expect(judgeByokAddress(text, NONE)).toEqual({ kind: 'address', baseUrl });
  });

  test.each([
    '',
    'api.example.com',
    'https:api.example.com',
    'https:/api.example.com',
    'https://',
    'https:///api.example.com',
    'https:\\\\api.example.com',
    'https://api.example.com\\@127.0.0.1',
    'https://api.example.com/\n',
    ' https://api.example.com',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://api.example.com:99999',
    'https://1.2.3.4.5',
  ])('%j is not an address', (text) => {
    expect(judgeByokAddress(text, NONE)).toEqual({
      kind: 'refused',
      why: 'must be an address such as https://host/path',
    });
  });

  test.each([
    'https://user@api.example.com',
    'https://user:word@api.example.com',
    'https://api.example.com/v1?key=1',
    'https://api.example.com/v1?',
    'https://api.example.com/v1#',
    'https://api.example.com#@127.0.0.1',
  ])('%s has parts that an address must not have', (text) => {
    expect(judgeByokAddress(text, NONE)).toEqual({
      kind: 'refused',
      why: 'must have neither user, query nor fragment',
    });
  });

  test.each([
    'https://localhost',
    'https://LOCALHOST.',
    'https://localhost..........',
    'https://app.localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://0',
    'https://2130706433',
    'https://0177.0.0.1',
    'https://0x7f.1',
    'https://１２７.0.0.1',
    'https://127。0。0。1',
    'https://[::]',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[2002:7f00:1::]',
    'https://[2001::1]',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
    'https://[ff02::1]',
    'https://10.0.0.1',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://100.100.100.200',
    'https://169.254.169.254/latest',
    'https://0xa9fea9fe',
    'https://192.0.0.192',
    'https://168.63.129.16',
    'https://198.18.0.1',
    'https://203.0.113.1',
    'https://255.255.255.255',
    'https://metadata.google.internal',
    'https://kubernetes.default.svc.cluster.local',
    'https://printer.local',
    'https://router.lan',
    'https://redis',
    'https://redis.',
  ])('%s leads into a private network', (text) => {
    expect(judgeByokAddress(text, NONE)).toEqual({
      kind: 'refused',
      why: 'must lead to the public network',
    });
  });

  test('must be encrypted and at a usual port', () => {
    expect(judgeByokAddress('http://api.example.com', NONE)).toMatchObject({
      why: 'must begin with https://',
    });
    expect(judgeByokAddress('https://api.example.com:6379', NONE)).toMatchObject({
      why: 'must use port 443, 80 or 8443',
    });
  });

  test('may be private, plain and at any port where the operator allows the host', () => {
    const own = new Set(['127.0.0.1:8081', 'proxy.internal', '[::1]']);
    for (const text of ['http://127.0.0.1:8081/v1', 'http://proxy.internal:9000', 'http://[::1]:5']) {
      expect(judgeByokAddress(text, own)).toEqual({ kind: 'address', baseUrl: text });
    }
    expect(judgeByokAddress('http://127.0.0.1:8082', own)).toMatchObject({ kind: 'refused' });
    expect(judgeByokAddress('http://127.0.0.1:8081/?x', own)).toMatchObject({ kind: 'refused' });
  });

  test('is limited in length', () => {
    const start = 'https://api.example.com/';
    const longest = start + 'a'.repeat(HOSTED_ADDRESS_CHARS_MAX - start.length);
    expect(judgeByokAddress(longest, NONE)).toMatchObject({ kind: 'address' });
    expect(judgeByokAddress(`${longest}a`, NONE)).toEqual({ kind: 'refused', why: 'is too long' });
  });
});
