import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DNS_ADDRESSES_MAX } from '../../bounds.ts';
import { createResolve, type Resolve } from './resolve.ts';

const A = 1;
const AAAA = 28;
const HEADER_BYTES = 12;
const NOT_FOUND = 3;

const RECORDS: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  'both.example': { [A]: ['5db8d822', '5db8d823'], [AAAA]: ['26062800022000010248189325c81946'] },
  'four.example': { [A]: ['5db8d822'] },
  'six.example': { [AAAA]: ['26062800022000010248189325c81946'] },
  'many.example': { [A]: Array.from({ length: 28 }, (_, index) => `5db8d8${(16 + index).toString(16)}`) },
  'empty.example': {},
};

/** A name server for the names above; it does not answer for `silent`, and knows no others. */
const server = createSocket('udp4');
const heard: string[] = [];
let resolve: Resolve;

beforeAll(async () => {
  server.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    heard.push(name);
    if (name.startsWith('silent')) return;
    server.send(answerTo(question.subarray(0, end), type, RECORDS[name]), port, address);
  });
  await new Promise<void>((ready) => server.bind(0, '127.0.0.1', ready));
  resolve = createResolve([`127.0.0.1:${server.address().port}`]);
});
afterAll(() => new Promise<void>((closed) => server.close(closed)));

function readQuestion(bytes: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: bytes.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, records: (typeof RECORDS)[string] | undefined): Buffer {
  const found = records?.[type] ?? [];
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (records === undefined ? NOT_FOUND : 0), 2);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = found.map((hex) => {
    const data = Buffer.from(hex, 'hex');
    const record = Buffer.from('c00c0000000100000000', 'hex');
    record.writeUInt16BE(type, 2);
    return Buffer.concat([record, Buffer.from([0, data.length]), data]);
  });
  return Buffer.concat([head, ...answers]);
}

const SIX = { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 };
const FOUR = { address: '93.184.216.34', family: 4 };

describe('a name that a user chose', () => {
  it('has the addresses of both families', async () => {
    const second = { address: '93.184.216.35', family: 4 };
    expect(await resolve('both.example', 'user')).toEqual([FOUR, second, SIX]);
    expect(await resolve('four.example', 'user')).toEqual([FOUR]);
    expect(await resolve('six.example', 'user')).toEqual([SIX]);
  });

  it('without an address is a failure, known or not', async () => {
    await expect(resolve('empty.example', 'user')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolve('unknown.example', 'user')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolve('not a name', 'user')).rejects.toThrow();
  });

  it('with very many addresses gets a bounded number', async () => {
    expect(await resolve('many.example', 'user')).toHaveLength(DNS_ADDRESSES_MAX);
  });

  it('is not read from the hosts file', async () => {
    await expect(resolve('localhost', 'user')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(heard).toContain('localhost');
  });

  it('with a silent name server is left in time', async () => {
    const began = performance.now();
    let givenUp = 0;
    const silent = Array.from({ length: 64 }, (_, index) => resolve(`silent${index}.example`, 'user'));
    for (const one of silent) one.catch(() => givenUp++);
    const all = Promise.allSettled(silent);
    expect(await resolve('localhost', 'operator')).not.toEqual([]);
    expect(await lookup('localhost')).toBeDefined();
    expect(await resolve('four.example', 'user')).toEqual([FOUR]);
    expect(givenUp).toBe(0);
    expect((await all).map(({ status }) => status)).toEqual(silent.map(() => 'rejected'));
    const gaveUpMs = performance.now() - began;
    expect(gaveUpMs).toBeGreaterThan(1_000);
  });
});

it('names of the operator are resolved by the operating system', async () => {
  const before = heard.length;
  const addresses = (await resolve('localhost', 'operator')).map(({ address }) => address);
  expect(addresses.every((address) => address === '127.0.0.1' || address === '::1')).toBe(true);
  expect(addresses).not.toEqual([]);
  expect(heard).toHaveLength(before);
});
