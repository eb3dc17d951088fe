import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../../src/kernel/time/clock.ts';

/** The one customer that the simulated clouds have. */
export const AZURE = {
  key: 'sim-azure-key',
  tenantId: 'sim-tenant',
  clientId: 'sim-client',
  clientSecret: 'sim-azure~client-secret',
  apiVersion: '2024-10-21',
};
export const AWS = {
  accessKeyId: 'AKIASIMULATOR',
  secretAccessKey: 'sim/aws+secret0123456789',
  bearer: 'sim-bedrock-bearer',
  roleArn: 'arn:aws:iam::123456789012:role/sim-gateway',
  externalId: 'sim-external',
  region: 'us-east-1',
};
export const GOOGLE = {
  email: 'gateway@sim-project.iam.gserviceaccount.com',
  keyId: 'sim-key-1',
  project: 'sim-project',
  location: 'us-central1',
};

export interface AwsSession {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** What the clouds have handed out, and how long it lives. */
export class CloudState {
  /** Of tokens and sessions that are issued from now on. */
  lifeS = 3_600;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, number>();
  readonly #sessions = new Map<string, AwsSession & { readonly endsAtMs: number }>();
  #pair: KeyPair | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issueToken(): string {
    const token = `sim-token-${randomBytes(12).toString('hex')}`;
    this.#tokens.set(token, this.#clock.now() + this.lifeS * 1_000);
    return token;
  }

  isToken(token: string): boolean {
    return (this.#tokens.get(token) ?? 0) > this.#clock.now();
  }

  issueSession(): AwsSession & { readonly endsAtMs: number } {
    const session = {
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(20).toString('hex'),
      sessionToken: randomBytes(30).toString('base64'),
      endsAtMs: this.#clock.now() + this.lifeS * 1_000,
    };
    this.#sessions.set(session.accessKeyId, session);
    return session;
  }

  /** `expired`: it was issued, and has ended. */
  findSession(accessKeyId: string): AwsSession | 'expired' | undefined {
    const session = this.#sessions.get(accessKeyId);
    if (session === undefined) return undefined;
    return session.endsAtMs > this.#clock.now() ? session : 'expired';
  }

  /** Revokes what was issued: the next use of it is refused. */
  expireAll(): void {
    for (const token of this.#tokens.keys()) this.#tokens.set(token, 0);
    for (const [id, session] of this.#sessions) this.#sessions.set(id, { ...session, endsAtMs: 0 });
  }

  get publicKey(): KeyObject {
    return this.#keys().publicKey;
  }

  /** The key file of the service account, as Google's console downloads it. */
  serviceAccount(): Readonly<Record<string, string>> {
    return {
      type: 'service_account',
      project_id: GOOGLE.project,
      private_key_id: GOOGLE.keyId,
      private_key: this.#keys().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: GOOGLE.email,
      token_uri: 'https://oauth2.googleapis.com/token',
    };
  }

  /** Made when it is first needed: it takes a while. */
  #keys(): KeyPair {
    this.#pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
    return this.#pair;
  }
}
