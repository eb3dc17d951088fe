import { describe, expect, it } from 'vitest';
import { checkHomes } from './homes.ts';
import { treeOf } from './tree.ts';

const check = (path: string, text: string): string[] =>
  checkHomes(treeOf({ [path]: text })).map(({ rule, line, message }) => `${line} ${rule}: ${message}`);

describe('one place of use is enforced', () => {
  it('for the environment', () => {
    const text =
      "const one = process.env;\nconst two = process['env'].HOME;\nimport { env } from 'node:process';";
    expect(check('src/gateway/call.ts', text)).toEqual([
      '1 environment: process.env',
      '2 environment: process.env',
      '3 environment: takes env of process',
    ]);
    expect(check('src/config.ts', 'export const one = process.env;')).toEqual([]);
    expect(check('src/gateway/call.test.ts', text)).toEqual([]);
  });

  it('for time, called or only named', () => {
    const text = 'const one = Date.now();\nconst two = { now: performance.now };\nconst three = new Date();';
    expect(check('src/gate/window.ts', text)).toEqual([
      '1 time: Date.now',
      '2 time: performance.now',
      '3 time: new Date()',
    ]);
    expect(check('src/gate/window.ts', 'const day = new Date(nowMs); clock.now();')).toEqual([]);
    expect(check('src/kernel/time/clock.ts', text)).toEqual([]);
  });

  it('for randomness, of Math and of node:crypto', () => {
    const text = "import { hash, randomBytes } from 'node:crypto';\nMath.random();";
    expect(check('src/accounts/api-key.ts', text)).toEqual([
      '2 randomness: Math.random',
      '1 randomness: takes randomBytes of crypto',
    ]);
    expect(check('src/kernel/random.ts', text)).toEqual([]);
  });

  it('for SQL text, and English is not SQL', () => {
    const seen = (literal: string): string[] => check('src/ledger/doctor.ts', `const text = ${literal};`);
    expect(seen("'select id from accounts'")).toEqual(['1 sql: SQL text']);
    expect(seen('`SELECT *\\n FROM accounts where id = $' + '{id}`')).toEqual(['1 sql: SQL text']);
    expect(seen("'insert into calls values ($1)'")).toEqual(['1 sql: SQL text']);
    expect(seen("'update accounts set version = 2'")).toEqual(['1 sql: SQL text']);
    expect(seen("'delete from accounts'")).toEqual(['1 sql: SQL text']);
    expect(seen("'create table accounts (id bigint)'")).toEqual(['1 sql: SQL text']);
    expect(seen("'Choose one and update it from there'")).toEqual([]);
    expect(seen("'Create a new key.'")).toEqual([]);
    expect(check('src/store/ledger/ledger.ts', "const text = 'select id from accounts';")).toEqual([]);
  });

  it('for sockets and programs, while servers, types and address checks are allowed anywhere', () => {
    expect(check('src/gateway/attempt/forward.ts', "await fetch('https://example.com');")).toEqual([
      '1 sockets: fetch',
    ]);
    expect(check('src/gateway/attempt/forward.ts', "import { connect } from 'node:net';")).toEqual([
      '1 sockets: takes connect of net',
    ]);
    expect(check('src/gateway/attempt/forward.ts', "import http from 'node:http';")).toEqual([
      '1 sockets: takes default of http',
    ]);
    expect(check('src/http/server.ts', "import { createServer } from 'node:http';")).toEqual([]);
    expect(check('src/http/server.ts', "import type { Socket } from 'node:net';")).toEqual([]);
    expect(check('src/http/server.ts', "import { isIP } from 'node:net';")).toEqual([]);
    expect(check('src/upstream/http/client.ts', "import { connect } from 'node:tls';")).toEqual([]);
    expect(check('src/store/embedded/lock-socket.ts', "import { connect } from 'node:net';")).toEqual([]);
    expect(check('src/gate/redis.ts', "import { spawn } from 'node:child_process';")).toEqual([
      '1 processes: takes spawn of child_process',
    ]);
    expect(check('src/store/embedded/server.ts', "import { spawn } from 'node:child_process';")).toEqual([]);
  });

  it('for products of money, and money is never a number', () => {
    const text =
      'const half = row.amountMicro / 2n;\nconst sum = row.amountMicro + 1n;\nNumber(row.amountMicro);';
    expect(check('src/gateway/meter.ts', text)).toEqual([
      '1 money: row.amountMicro /',
      '3 money: Number(row.amountMicro)',
    ]);
    expect(check('src/catalog/price.ts', 'const half = row.amountMicro / 2n;')).toEqual([]);
    const typed = 'interface Row { amountMicro: number }\nfunction take(amountMicro: number) {}';
    expect(check('src/catalog/price.ts', typed)).toEqual([
      '1 money: amountMicro is declared a number',
      '2 money: amountMicro is declared a number',
    ]);
    expect(check('src/catalog/price.ts', 'interface Row { amountMicro: bigint }')).toEqual([]);
  });

  it('for input and output, which kernel and protocol do not have', () => {
    expect(check('src/protocol/bytes/sse.ts', "import { readFileSync } from 'node:fs';")).toEqual([
      '1 islands: imports node:fs',
    ]);
    expect(
      check('src/kernel/encoding/json.ts', "import { setTimeout } from 'node:timers/promises';"),
    ).toEqual(['1 islands: imports node:timers/promises']);
    expect(check('src/ledger/journal/journal.ts', "import { readFileSync } from 'node:fs';")).toEqual([]);
  });

  it('for input and output, with one exception that reads the file of a package', () => {
    expect(check('src/protocol/meter/vocabulary.ts', "import { readFileSync } from 'node:fs';")).toEqual([]);
    expect(check('src/protocol/meter/vocabulary.ts', "import { readFile } from 'node:fs/promises';")).toEqual(
      ['1 islands: imports node:fs/promises'],
    );
  });
});
