import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRules } from '../../../../test/support/hub.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import type { Tool } from '../request.ts';
import { CallIds, clientCallId, synthesizeCallId } from './ids.ts';
import { ToolNames } from './names.ts';

const tool = (name: string, namespace?: string): Tool => ({
  kind: 'function',
  name,
  namespace,
  schema: undefined,
  strict: undefined,
});

const GOOGLE = someRules({ toolName: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, toolNameMax: 64 });

describe('tool names', () => {
  it('that are legal stay as they are', () => {
    const names = new ToolNames(someRules(), [tool('get_weather')], []);
    expect(names.toVendor({ name: 'get_weather' })).toEqual({ name: 'get_weather' });
    expect(names.toClient({ name: 'get_weather' })).toMatchObject({ name: 'get_weather', wrapped: false });
  });

  it('with illegal characters are cleaned, hashed and mapped back', () => {
    const names = new ToolNames(someRules(), [tool('fs.read:file'), tool('fs_read_file')], []);
    const { name } = names.toVendor({ name: 'fs.read:file' });
    expect(name).toMatch(/^fs_read_file_[0-9a-f]{8}$/);
    expect(names.toClient({ name }).name).toBe('fs.read:file');
    expect(names.toVendor({ name: 'fs_read_file' }).name).toBe('fs_read_file');
  });

  it('that are too long keep their beginning', () => {
    const long = 'x'.repeat(128);
    const { name } = new ToolNames(someRules(), [tool(long)], []).toVendor({ name: long });
    expect(name).toMatch(/^x{55}_[0-9a-f]{8}$/);
  });

  it('in a namespace are flattened for targets without namespaces, and mapped back', () => {
    const names = new ToolNames(someRules(), [tool('read', 'fs'), tool('fs__read'), tool('read')], []);
    const flat = names.toVendor({ name: 'read', namespace: 'fs' });
    expect(flat.name).toMatch(/^fs__read_[0-9a-f]{8}$/);
    expect(flat.namespace).toBeUndefined();
    expect(names.toClient(flat)).toMatchObject({ name: 'read', namespace: 'fs' });
    expect(names.toVendor({ name: 'fs__read' }).name).toBe('fs__read');
    const alone = new ToolNames(someRules(), [tool('read', 'fs')], []);
    expect(alone.toVendor({ name: 'read', namespace: 'fs' }).name).toBe('fs__read');
    expect(alone.bareToVendor('read')).toBe('fs__read');
  });

  it('keep their namespace where the target knows them', () => {
    const names = new ToolNames(
      someRules({ namespaces: true }),
      [tool('read', 'fs'), tool('read', 'db')],
      [],
    );
    const both = ['fs', 'db'].map((namespace) => names.toVendor({ name: 'read', namespace }));
    expect(both).toEqual([
      { name: 'read', namespace: 'fs' },
      { name: 'read', namespace: 'db' },
    ]);
    expect(both.map((name) => names.toClient(name).namespace)).toEqual(['fs', 'db']);
  });

  it('of the history never take the name of a declared tool', () => {
    const names = new ToolNames(someRules(), [tool('a b')], []);
    const declared = names.toVendor({ name: 'a b' }).name;
    expect(names.toVendor({ name: declared }).name).not.toBe(declared);
    expect(names.toClient({ name: declared }).name).toBe('a b');
  });

  it('that the model invented come back unchanged', () => {
    expect(new ToolNames(someRules(), [], []).toClient({ name: 'made.up' }).name).toBe('made.up');
  });

  it('are legal, unique, reversible and deterministic for any names of the client', () => {
    const anyName = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.constantFrom('a', 'b', 'a.b', 'a_b', 'a b', '1a', '-a', '', 'n__a'),
    );
    const anyTool = fc.tuple(anyName, fc.option(fc.constantFrom('n', 'm.m'), { nil: undefined }));
    fc.assert(
      fc.property(
        fc.array(anyTool, { maxLength: 12 }),
        fc.constantFrom(someRules(), GOOGLE),
        (pairs, rules) => {
          const tools = pairs.map(([name, namespace]) => tool(name, namespace));
          const names = new ToolNames(rules, tools, []);
          const again = new ToolNames(rules, tools, []);
          const vendor = new Map<string, string>();
          for (const { name, namespace } of tools) {
            const sent = names.toVendor({ name, namespace }).name;
            expect(sent).toMatch(rules.toolName);
            expect(sent.length).toBeLessThanOrEqual(rules.toolNameMax);
            expect(names.toClient({ name: sent })).toEqual({ name, namespace, wrapped: false });
            expect(again.toVendor({ name, namespace }).name).toBe(sent);
            vendor.set(JSON.stringify([name, namespace]), sent);
          }
          expect(new Set(vendor.values()).size).toBe(vendor.size);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('ids of calls', () => {
  it('that are legal pass unchanged, also when a generated one would be the same', () => {
    const made = new CallIds(64, ['a.b']).next('a.b');
    const ids = new CallIds(64, ['a.b', made]);
    const first = ids.next('a.b');
    expect(first).toMatch(/^a_b_[0-9a-f]{8}$/);
    expect(first).not.toBe(made);
    expect(ids.next(made)).toBe(made);
  });

  it('that are too long keep their beginning', () => {
    expect(new CallIds(40, ['i'.repeat(65)]).next('i'.repeat(65))).toMatch(/^i{31}_[0-9a-f]{8}$/);
  });

  it('are legal, unique and deterministic', () => {
    const id = fc.oneof(
      fc.constantFrom('', 'a', 'functions.Bash:0', 'functions_Bash_0'),
      fc.string({ maxLength: 80 }),
    );
    fc.assert(
      fc.property(fc.array(id, { maxLength: 20 }), fc.constantFrom(40, 64), (list, lengthMax) => {
        const [ids, again] = [new CallIds(lengthMax, list), new CallIds(lengthMax, list)];
        const sent = list.map((one) => ids.next(one));
        expect(new Set(sent).size).toBe(list.length);
        for (const one of sent) expect(one).toMatch(/^[A-Za-z0-9_-]+$/);
        for (const one of sent) expect(one.length).toBeLessThanOrEqual(lengthMax);
        expect(list.map((one) => again.next(one))).toEqual(sent);
        list.forEach((one, index) => {
          const isLegal =
            /^[A-Za-z0-9_-]+$/.test(one) && one.length <= lengthMax && list.indexOf(one) === index;
          if (isLegal) expect(sent[index]).toBe(one);
        });
      }),
      { numRuns: runs(200) },
    );
  });

  it('stay quick when one id comes a hundred thousand times', () => {
    const list = Array.from({ length: 100_000 }, () => 'same');
    const ids = new CallIds(64, list);
    expect(new Set(list.map((id) => ids.next(id))).size).toBe(list.length);
  });

  it('are generated where the vendor gave none: stable, and different for every call', () => {
    const made = synthesizeCallId('01J0', 0, 0);
    expect(made).toMatch(/^call_[a-z2-7]{24}$/);
    expect(synthesizeCallId('01J0', 0, 0)).toBe(made);
    const others = [
      synthesizeCallId('01J0', 0, 1),
      synthesizeCallId('01J0', 1, 0),
      synthesizeCallId('01J1', 0, 0),
    ];
    expect(new Set([made, ...others]).size).toBe(4);
  });

  it('of vendors reach the client unchanged where every protocol can carry them', () => {
    expect(clientCallId('toolu_01A09q90qw90lq917835lq9')).toBe('toolu_01A09q90qw90lq917835lq9');
    expect(clientCallId('functions.Bash:0')).toMatch(/^functions_Bash_0_[0-9a-f]{8}$/);
  });
});
