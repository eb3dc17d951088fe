import { describe, expect, it } from 'vitest';
import { checkBoundaries } from './boundaries.ts';
import { treeOf } from './tree.ts';

const check = (files: Readonly<Record<string, string>>): string[] =>
  checkBoundaries(treeOf(files)).map(({ rule, path, line, message }) => `${path}:${line} ${rule} ${message}`);

const CONTRACT = 'export interface Gate { enter(): void }';

describe('the import rules', () => {
  it('let a layer import itself, the kernel and a contract', () => {
    const found = check({
      'src/kernel/assert.ts': 'export const assert = 1;',
      'src/gate/contract.ts': CONTRACT,
      'src/gate/window.ts': "import { assert } from '../kernel/assert.ts';",
      'src/ledger/settler.ts': "import type { Gate } from '../gate/contract.ts';",
    });
    expect(found).toEqual([]);
  });

  it('stop the kernel from importing anything of ours, in every spelling of an import', () => {
    const found = check({
      'src/bounds.ts': 'export const LIMIT = 1;',
      'src/kernel/one.ts': "\nimport { LIMIT } from '../bounds.ts';",
      'src/kernel/two.ts': "export { LIMIT } from '../bounds.ts';",
      'src/kernel/three.ts': "export * from '../bounds.ts';",
      'src/kernel/four.ts': "export const limit = () => import('../bounds.ts');",
      'src/kernel/five.ts': "export type Limits = typeof import('../bounds.ts');",
      'src/kernel/seven.ts': "const { LIMIT } = require('../bounds.ts');",
      'src/kernel/six.ts': "import type { LIMIT } from '../bounds.ts';",
    });
    expect(found.sort()).toEqual(
      ['five.ts:1', 'four.ts:1', 'one.ts:2', 'seven.ts:1', 'six.ts:1', 'three.ts:1', 'two.ts:1'].map(
        (place) => `src/kernel/${place} imports imports src/bounds.ts`,
      ),
    );
  });

  it('stop a domain from importing the inner files of another', () => {
    const found = check({
      'src/gate/memory.ts': 'export const gate = 1;',
      'src/ledger/settler.ts': "import { gate } from '../gate/memory.ts';",
    });
    expect(found).toEqual(['src/ledger/settler.ts:1 imports imports src/gate/memory.ts']);
  });

  it('stop protocol from importing accounts, and the platform from calling the gateway', () => {
    const found = check({
      'src/accounts/contract.ts': CONTRACT,
      'src/gateway/pipeline.ts': 'export const run = 1;',
      'src/protocol/bytes/sse.ts': "import type { Gate } from '../../accounts/contract.ts';",
      'src/operations/keys/keys.ts': "import { run } from '../../gateway/pipeline.ts';",
    });
    expect(found).toEqual([
      'src/protocol/bytes/sse.ts:1 imports imports src/accounts/contract.ts',
      'src/operations/keys/keys.ts:1 imports imports src/gateway/pipeline.ts',
    ]);
  });

  it('stop a dialect from importing another one, except in files that combine two', () => {
    const found = check({
      'src/protocol/hub/part.ts': 'export const part = 1;',
      'src/protocol/messages/finish.ts': "import { part } from '../hub/part.ts';",
      'src/protocol/responses/finish.ts': "import { part } from '../messages/finish.ts';",
      'src/protocol/registry.ts': "import { part } from './messages/finish.ts';",
    });
    expect(found).toEqual([
      'src/protocol/responses/finish.ts:1 imports imports src/protocol/messages/finish.ts',
    ]);
  });

  it('let only main.ts, the commands and tests import app.ts', () => {
    const found = check({
      'src/app.ts': 'export const app = 1;',
      'src/main.ts': "import { app } from './app.ts';",
      'src/cli/serve/serve.ts': "import { app } from '../../app.ts';",
      'test/crash/kill.test.ts': "import { app } from '../../src/app.ts';",
      'src/http/server.ts': "import { app } from '../app.ts';",
    });
    expect(found).toEqual(['src/http/server.ts:1 imports imports src/app.ts']);
  });

  it('keep simulators, benchmarks and tests out of src, except for the demo', () => {
    const found = check({
      'sim/server.ts': 'export const sim = 1;',
      'test/support/postgres.ts': 'export const postgres = 1;',
      'src/cli/demo/demo.ts': "export const load = () => import('../../../sim/server.ts');",
      'src/cli/serve/serve.ts': "export const load = () => import('../../../sim/server.ts');",
      'src/store/database.ts': "import { postgres } from '../../test/support/postgres.ts';",
      'src/store/database.test.ts': "import { postgres } from '../../test/support/postgres.ts';",
    });
    expect(found).toEqual([
      'src/cli/serve/serve.ts:1 imports imports sim/server.ts',
      'src/store/database.ts:1 imports imports test/support/postgres.ts',
    ]);
  });

  it('keep the demo from loading the simulators statically', () => {
    const found = check({
      'sim/server.ts': 'export const sim = 1;',
      'src/cli/demo/demo.ts': "import { sim } from '../../../sim/server.ts';",
    });
    expect(found).toEqual(['src/cli/demo/demo.ts:1 imports imports sim/server.ts']);
  });

  it('give every package one importing folder and refuse a package without one', () => {
    const found = check({
      'src/store/database.ts': "import pg from 'pg';",
      'src/gateway/attempt/forward.ts': "import { Redis } from 'ioredis';\nimport express from 'express';",
      'src/gateway/attempt/forward.test.ts': "import { Redis } from 'ioredis';",
      'src/gateway/meter.ts': "const load = createRequire(import.meta.url);\nload('gpt-tokenizer/encoding');",
      'src/gateway/tokens.ts':
        "const load = createRequire(import.meta.url);\nload.resolve('gpt-tokenizer/data');",
    });
    expect(found).toEqual([
      'src/gateway/attempt/forward.ts:1 imports imports ioredis',
      'src/gateway/attempt/forward.ts:2 imports imports the package express',
      'src/gateway/meter.ts:2 imports imports gpt-tokenizer',
      'src/gateway/tokens.ts:2 imports imports gpt-tokenizer',
    ]);
  });

  it('report a missing file, an imported test, and a file of no layer', () => {
    const found = check({
      'src/gate/memory.ts': "import { window } from './window.ts';",
      'src/gate/memory.test.ts': 'export const made = 1;',
      'src/gate/other.test.ts': "import { made } from './memory.test.ts';",
      'src/shop/till.ts': 'export const till = 1;',
    });
    expect(found).toEqual([
      'src/gate/memory.ts:1 imports src/gate/window.ts does not exist',
      'src/gate/other.test.ts:1 imports imports the test src/gate/memory.test.ts',
      'src/shop/till.ts:1 imports the file belongs to no layer',
    ]);
  });

  it('report a cycle once, with its whole path, also when it consists of types', () => {
    const found = check({
      'src/gate/one.ts': "import type { Two } from './two.ts';\nexport type One = Two;",
      'src/gate/two.ts': "import type { Three } from './three.ts';\nexport type Two = Three;",
      'src/gate/three.ts': "import type { One } from './one.ts';\nexport type Three = One;",
    });
    const way = 'src/gate/one.ts → src/gate/two.ts → src/gate/three.ts → src/gate/one.ts';
    expect(found).toEqual([`src/gate/three.ts:1 cycles ${way}`]);
  });
});
