import { type Api, type ApiAnswer, loginWith } from '../../support/api.ts';
import type { World } from '../../support/world.ts';

/** An operator at work: paths stand below the operators' base. */
export interface Operator {
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** The data of a success; anything else fails the test with what was said. */
  get<Data = Record<string, unknown>>(path: string): Promise<Data>;
  write<Data = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Data>;
  /** The last line of the audit log. */
  lastRecord(): Promise<Record<string, unknown>>;
}

export const ADMIN = '/api/v1/admin';

export async function operatorOf(world: World, email = 'operator@example.com'): Promise<Operator> {
  const token = await loginWith(world.api, email);
  return actAs(world.api, token);
}

function actAs(api: Api, token: string): Operator {
  const ask: Operator['ask'] = (method, path, body) =>
    api(method, ADMIN + path, { token, ...(body !== undefined && { body }) });
  const write = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await ask(method, path, body);
    if (answer.body.code !== 0) {
      throw new Error(`${method} ${path}: ${answer.body.code} ${answer.body.message}`);
    }
    return answer.body.data as Data;
  };
  return {
    token,
    ask,
    get: (path) => write('GET', path),
    write,
    lastRecord: async () => {
      const [record] = await write<Record<string, unknown>[]>('GET', '/audit?size=1');
      if (record === undefined) throw new Error('the audit log is empty');
      return record;
    },
  };
}

/** The number of an account. */
export async function accountIdOf(operator: Operator, email: string): Promise<number> {
  const found = await operator.get<{ id: number; email: string }[]>(`/accounts?email=${email}`);
  const account = found.find((each) => each.email === email);
  if (account === undefined) throw new Error(`no account ${email}`);
  return account.id;
}
