import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRET_LENGTH_MAX } from '../bounds.ts';
import { readCloudSecret, secretOnOneLine, whyNotOwn } from './cloud.ts';

const KEY_FILE = {
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: 'abc123',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  client_email: 'a@my-project.iam.gserviceaccount.com',
};

describe('a secret of several parts', () => {
  it('is stored on one line of visible characters and means the same', () => {
    const line = secretOnOneLine(`\n${JSON.stringify(KEY_FILE, null, 2)}\n`);
    expect(line).toMatch(/^[!-~]+$/);
    expect(line.length).toBeLessThanOrEqual(SECRET_LENGTH_MAX);
    expect(JSON.parse(line)).toEqual(KEY_FILE);
    expect(secretOnOneLine(line)).toBe(line);
  });

  it('is told from a key, which stays as it is', () => {
    for (const key of ['sk-123', '{no json', '{', '[]', 'two words']) expect(secretOnOneLine(key)).toBe(key);
  });

  it('is visible on its line whatever the texts in it are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })), (parts) => {
        const text = JSON.stringify(parts);
        if (text.length > SECRET_LENGTH_MAX) return;
        const line = secretOnOneLine(text);
        expect(line).toMatch(/^[!-~]+$/);
      }),
    );
  });
});

describe('the secret of a cloud', () => {
  it('is a key, or the parts that its kind needs', () => {
    const entra = { tenant_id: 't', client_id: 'c', client_secret: 's~' };
    const aws = { access_key_id: 'AKID', secret_access_key: 'a/b+c' };
    const role = { ...aws, role_arn: 'arn:aws:iam::123456789012:role/x', external_id: 'e' };
    expect(readCloudSecret('azure', 'key')).toEqual({ kind: 'key', key: 'key' });
    expect(readCloudSecret('azure', JSON.stringify(entra))).toEqual({
      ...{ kind: 'entra', tenantId: 't', clientId: 'c', clientSecret: 's~' },
    });
    expect(readCloudSecret('bedrock', JSON.stringify({ ...aws, session_token: 'st' }))).toEqual({
      ...{ kind: 'aws', accessKeyId: 'AKID', secretAccessKey: 'a/b+c', sessionToken: 'st', role: undefined },
    });
    expect(readCloudSecret('bedrock', JSON.stringify(role))).toMatchObject({
      role: { arn: role.role_arn, externalId: 'e' },
    });
    expect(readCloudSecret('vertex', secretOnOneLine(JSON.stringify(KEY_FILE)))).toEqual({
      kind: 'service-account',
      email: KEY_FILE.client_email,
      privateKey: KEY_FILE.private_key,
      privateKeyId: 'abc123',
      projectId: 'my-project',
    });
    expect(readCloudSecret('vertex', '{"type":"workload"}')).toEqual({ kind: 'workload' });
  });

  it('is refused in every other form, and the complaint repeats nothing of it', () => {
    const wrong: ['azure' | 'bedrock' | 'vertex', string][] = [
      ['azure', ''],
      ['azure', '{"client_id":"hidden"}'],
      ['azure', '{"tenant_id":"../hidden","client_id":"c","client_secret":"s"}'],
      ['azure', '{hidden'],
      ['bedrock', '{"access_key_id":"hidden"}'],
      ['bedrock', '{"access_key_id":"A","secret_access_key":"S","role_arn":"hidden"}'],
      ['bedrock', '{"access_key_id":"A","secret_access_key":"hidden\\u0020"}'],
      ['vertex', 'hidden'],
      ['vertex', JSON.stringify({ ...KEY_FILE, type: 'authorized_user' })],
      ['vertex', JSON.stringify({ ...KEY_FILE, private_key: 'hidden' })],
    ];
    for (const [kind, secret] of wrong) {
      const read = readCloudSecret(kind, secret);
      expect(read.kind, secret).toBe('invalid');
      expect(JSON.stringify(read)).not.toContain('hidden');
    }
  });

  it('of an account is never the identity of the machine', () => {
    const vertex = { kind: 'vertex', location: 'global' } as const;
    expect(whyNotOwn(vertex, '{"type":"workload"}')).toBeDefined();
    expect(whyNotOwn(vertex, JSON.stringify(KEY_FILE))).toBeUndefined();
    expect(whyNotOwn({ kind: 'azure' }, '{}')).toBeDefined();
    expect(whyNotOwn(undefined, 'anything')).toBeUndefined();
  });
});
