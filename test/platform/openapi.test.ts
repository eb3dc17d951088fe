import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { matchEndpoint } from '../../src/gateway/endpoints.ts';
import { createDocsPage } from '../../src/platform/docs-page.ts';
import { createDocument, failureNames } from '../../src/platform/openapi.ts';
import { pathOf } from '../../src/platform/router.ts';
import { readEndpoints } from '../../src/platform/table.ts';
import { findBrokenPromise } from '../../src/platform/validate.ts';

const rows = readEndpoints();
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
  test('is clean in the eyes of the linter’s recommended rules', async () => {
    expect(await lint(text)).toEqual([]);
    // And the linter would have said something.
    const broken = text.replace('"operationId":"gateway.chat",', '').replace('#/components', '#/nowhere');
    const rules = (await lint(broken)).map(([rule]) => rule);
    expect(rules).toEqual(expect.arrayContaining(['operation-operationId', 'no-unresolved-refs']));
  });

  test('has every row of the table once, under its name', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const row of rows) {
      const path = pathOf(row).replace(/:(\w+)/g, '{$1}');
      const operation = document.paths[path]?.[row.method.toLowerCase()];
      expect(operation?.operationId, `${row.method} ${path}`).toBe(row.name);
      const names = failureNames(row);
      expect(Object.keys(operation?.responses ?? {}).length, row.name).toBeGreaterThan(1);
      expect(names, row.name).toContain('internal');
    }
  });

  test('has examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, formats: { email: true, uri: true } });
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

  test('promises in every row exactly what the row’s example shows', () => {
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

  test('names paths of the gateway that the gateway matches', () => {
    const ours = operations.filter(({ operation }) => operation.tags.includes('Gateway'));
    expect(ours.length).toBeGreaterThanOrEqual(5);
    for (const { method, path } of ours) {
      const match = matchEndpoint(method, path.replace('{model}', 'gpt-5'));
      expect([path, match.kind]).not.toEqual([path, 'no-endpoint']);
      expect(match.kind).not.toBe('method-not-allowed');
    }
  });
});

describe('the page of documentation', () => {
  const page = createDocsPage(document);

  test('shows every operation with its path', () => {
    for (const { path, operation } of operations) {
      expect(page.html).toContain(`id="${operation.operationId}"`);
      expect(page.html).toContain(`>${path}</code>`);
    }
  });

  test('asks nobody for anything and runs nothing', () => {
    expect(page.html).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|src=|@import|url\(/i);
    expect(page.contentSecurityPolicy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
  });
});
