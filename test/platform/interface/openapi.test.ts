import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { findEndpoint } from '../../../src/gateway/endpoints/find.ts';
import { OPERATIONS } from '../../../src/operations/table.ts';
import { endpointPath } from '../../../src/platform/http/router.ts';
import { findBrokenPromise } from '../../../src/platform/http/validate.ts';
import { createDocument, failureNames } from '../../../src/platform/openapi/openapi.ts';
import { gatewayPaths } from '../../support/gateway-paths.ts';

const rows = OPERATIONS;
const text = JSON.stringify(createDocument(rows));
const document = JSON.parse(text) as ReturnType<typeof createDocument>;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** Of everything that has a schema and examples: where it stands, the schema, the values. */
function* examples(node: unknown, place: string): Generator<[string, object, unknown[]]> {
  if (typeof node !== 'object' || node === null) return;
  const media = node as { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> };
  if (media.schema !== undefined) {
    const values = Object.values(media.examples ?? {}).map(({ value }) => value);
    if (media.example !== undefined) values.push(media.example);
    yield [place, media.schema, values];
    return;
  }
  for (const [key, child] of Object.entries(node)) yield* examples(child, `${place}/${key}`);
}

async function lint(source: string): Promise<(string | undefined)[][]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}

describe('the OpenAPI document', () => {
  test('passes the linter’s recommended rules', async () => {
    expect(await lint(text)).toEqual([]);
    // And the linter would have said something.
    const broken = text
      .replace('"operationId":"createChatCompletion",', '')
      .replace('#/components', '#/nowhere');
    const rules = (await lint(broken)).map(([rule]) => rule);
    expect(rules).toEqual(expect.arrayContaining(['operation-operationId', 'no-unresolved-refs']));
  });

  test('describes operations in whole sentences, and counts them', () => {
    for (const { operation } of operations) {
      expect(operation.description, operation.operationId).toMatch(/^[A-Z0-9].*\.$/s);
      expect(operation.description, operation.operationId).not.toContain(', of one account.');
    }
    const counted = document.tags.flatMap(({ description }) => /^\d+ \w+\.$/.exec(description)?.[0] ?? []);
    expect(counted.length).toBeGreaterThan(5);
    expect(counted.filter((words) => /^1 /.test(words) !== words.endsWith(' operation.'))).toEqual([]);
  });

  test('has every row of the table once, under its id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const row of rows) {
      const path = endpointPath(row).replace(/:(\w+)/g, '{$1}');
      const operation = document.paths[path]?.[row.method.toLowerCase()];
      expect(operation?.operationId, `${row.method} ${path}`).toBe(row.id);
      const names = failureNames(row);
      expect(Object.keys(operation?.responses ?? {}).length, row.name).toBeGreaterThan(1);
      expect(names, row.name).toContain('internal');
    }
  });

  test('has examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, formats: { email: true, uri: true, binary: true } });
    ajv.addSchema({ ...document, $id: 'document' });
    let checked = 0;
    for (const [place, schema, values] of examples({ ...document.paths }, '')) {
      const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
      const validate = ajv.compile(resolved);
      for (const value of values) {
        checked++;
        expect(validate(value), `${place}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
    expect(checked).toBeGreaterThan(rows.length);
  });

  test('has in every row exactly the fields of the row’s example', () => {
    for (const row of rows) {
      if (row.file !== undefined) continue;
      expect(findBrokenPromise(row, row.example.data), row.name).toBeUndefined();
      if (row.paged) expect((row.data as { type?: string }).type, row.name).toBe('array');
      if (row.body !== undefined) expect(row.example.body, row.name).toBeDefined();
    }
  });

  test('has no path that another one hides', () => {
    for (const row of rows) {
      const names = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(row.params?.properties ?? {}).sort(), row.name).toEqual(names.sort());
    }
  });

  const gateway = operations.filter(({ path }) => /^\/v[12]/.test(path));

  test('has every path that the gateway matches', () => {
    expect(gateway.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...gatewayPaths()].sort());
  });

  test('names no path of the gateway that the gateway does not match', () => {
    for (const { method, path } of gateway) {
      const { kind } = findEndpoint(method, path.replace('{model}', 'gpt-5').replace('{id}', 'resp_1'));
      expect(['no-endpoint', 'method-not-allowed'], `${method} ${path}`).not.toContain(kind);
    }
  });

  test('requires a key on the gateway, a login on the platform, and nothing else', () => {
    const schemes = document.components.securitySchemes as Record<string, Record<string, string>>;
    expect(schemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    for (const { operation } of gateway) expect(operation.security).toEqual([{ apiKey: [] }]);
    for (const row of rows) {
      const path = endpointPath(row).replace(/:(\w+)/g, '{$1}');
      const security = document.paths[path]?.[row.method.toLowerCase()]?.security ?? [];
      expect(security.length > 0, row.name).toBe(row.access !== 'public');
      expect(JSON.stringify(security), row.name).not.toContain('apiKey');
    }
  });

  test('has every path of the reference', () => {
    const [, rules = ''] = readFileSync('docs/reference/interface.md', 'utf8').split(
      '## Paths of the gateway',
    );
    const [table = ''] = rules.split('\n- **');
    const named = [...table.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
    const paths = named.flatMap((text = '') => /(?:\/v[12]\S*|:\w+)$/.exec(text)?.[0] ?? []);
    expect(paths.length).toBeGreaterThan(12);
    const known = Object.keys(document.paths);
    for (const path of paths)
      expect(
        known.filter((each) => each.endsWith(path)),
        path,
      ).not.toEqual([]);
  });

  test('has a short title for every operation, from which its id is derived', () => {
    for (const [tag, same] of Map.groupBy(operations, ({ operation }) => operation.tags[0])) {
      const titles = same.map(({ operation }) => operation.summary);
      expect(new Set(titles).size, `${tag}: ${titles.join(', ')}`).toBe(titles.length);
      for (const title of titles) expect(title, tag).toMatch(/^[A-Z][A-Za-z’ ]{3,49}$/);
    }
    for (const { operation } of operations) expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
  });

  test('has each of its groups in one list of groups', () => {
    const groups = document['x-tagGroups'] as { readonly tags: readonly string[] }[];
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(groups.flatMap(({ tags }) => tags).sort()).toEqual([...used].sort());
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });
});
