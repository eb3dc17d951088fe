import { describe, expect, it } from 'vitest';
import { Problems } from './problems.ts';
import { secretShape } from './shape-cloud.ts';
import { vendorShape } from './shape-party.ts';
import { readTree } from './yaml-tree.ts';

function read<T>(
  shape: (place: never) => T,
  yaml: string,
  environment = {},
): { value: T; problems: string[] } {
  const problems = new Problems();
  const tree = readTree(yaml, environment, problems);
  const value = shape({ tree, path: '', problems } as never);
  return { value, problems: problems.list().map(({ path, message }) => `${path}: ${message}`) };
}

const variable = (name: string): string => '$'.concat(`{${name}}`);

const vendor = (cloud: string, protocols: string) =>
  read(vendorShape, `{ code: v, base_url: "https://v.example", protocols: [${protocols}], cloud: ${cloud} }`);

describe('a vendor that is a cloud', () => {
  it('has its kind, and the fields of the kind', () => {
    const good: [string, string, object][] = [
      ['{ kind: azure }', 'chat, responses, images', { kind: 'azure' }],
      ['{ kind: azure, api_version: "2024-10-21" }', 'chat', { kind: 'azure', apiVersion: '2024-10-21' }],
      ['{ kind: bedrock, region: us-east-1 }', 'messages, chat', { kind: 'bedrock', region: 'us-east-1' }],
      [
        '{ kind: vertex, location: global, project: p, token_url: "https://t.example/x" }',
        'gemini, messages',
        { kind: 'vertex', location: 'global', project: 'p', tokenUrl: 'https://t.example/x' },
      ],
    ];
    for (const [cloud, protocols, expected] of good) {
      const { value, problems } = vendor(cloud, protocols);
      expect(problems, cloud).toEqual([]);
      expect(value.cloud).toEqual(expected);
    }
    expect(vendor('null', 'gemini').value).not.toHaveProperty('cloud');
  });

  it('is refused without what its kind needs, with what it has not, and for protocols that it does not serve', () => {
    const wrong: [string, string, RegExp][] = [
      ['{ kind: bedrock }', 'messages', /^cloud: bedrock needs region/],
      ['{ kind: vertex }', 'gemini', /^cloud: vertex needs location/],
      ['{ kind: azure, region: x }', 'chat', /^cloud: azure has no region/],
      ['{ kind: oracle }', 'chat', /^cloud.kind: must be one of azure, bedrock, vertex/],
      ['{ kind: azure, api_version: "a/../b" }', 'chat', /^cloud.api_version: must be/],
      ['{ kind: vertex, location: "a/b" }', 'gemini', /^cloud.location: must be/],
      [
        '{ kind: azure, api_version: "2024-10-21" }',
        'responses',
        /^protocols: azure with api_version serves chat, images/,
      ],
      ['{ kind: bedrock, region: r }', 'gemini', /^protocols: bedrock serves messages, chat/],
    ];
    for (const [cloud, protocols, problem] of wrong) {
      expect(vendor(cloud, protocols).problems[0], cloud).toMatch(problem);
    }
  });
});

describe('the secret of a credential', () => {
  it('is a key, a map, or the JSON text of an object', () => {
    expect(read(secretShape, 'sk-1')).toEqual({ value: 'sk-1', problems: [] });
    expect(read(secretShape, `{ a: "${variable('KEY')}", b: 2 }`, { KEY: 'x y' })).toEqual({
      value: '{"a":"x\\u0020y","b":"2"}',
      problems: [],
    });
    const file = JSON.stringify({ a: 'b c' }, null, 2);
    expect(read(secretShape, `"${variable('FILE')}"`, { FILE: file })).toEqual({
      value: '{"a":"b\\u0020c"}',
      problems: [],
    });
  });

  it('is refused with spaces, as a list and as a number', () => {
    for (const text of ['two words', '[a]', '12']) expect(read(secretShape, text).problems).toHaveLength(1);
  });
});
