import { MODEL_USERS_REMEMBERED_MAX } from '../../bounds.ts';
import { type Columns, columnNames, encodeColumns, text, whole } from '../columns.ts';
import type { Part, Writes } from '../writes.ts';

/** An account that used a model on a day (UTC). */
export interface ModelUser {
  /** Days since 1970. */
  readonly day: number;
  readonly model: string;
  readonly accountId: number;
}

const USER_COLUMNS: Columns<ModelUser> = {
  day: { ...whole('int', (user) => user.day), meaning: "date 'epoch' + sent" },
  model_id: text((user) => user.model),
  account_id: whole('bigint', (user) => user.accountId),
};

const INSERT_USERS: Part = {
  name: 'users',
  columns: USER_COLUMNS,
  text: (given) => `
    insert into model_users_daily (${columnNames(USER_COLUMNS)})
    select ${columnNames(USER_COLUMNS)} from ${given} on conflict do nothing`,
};

export type Users = ReadonlyMap<string, ModelUser>;

/** Caches what it wrote, so that an account that calls all day is written once. */
export class ModelUsers {
  readonly #written = new Set<string>();

  /** Those that this process has not written yet. */
  add(writes: Writes, users: readonly ModelUser[]): Users {
    const due = new Map<string, ModelUser>();
    for (const user of users) {
      const key = `${user.accountId} ${user.day} ${user.model}`;
      if (!this.#written.has(key)) due.set(key, user);
    }
    if (due.size > 0) writes.add(INSERT_USERS, encodeColumns(USER_COLUMNS, [...due.values()]));
    return due;
  }

  /** Called once they are committed. */
  remember(users: Users): void {
    if (this.#written.size + users.size > MODEL_USERS_REMEMBERED_MAX) this.#written.clear();
    for (const key of users.keys()) this.#written.add(key);
  }

  forget(): void {
    this.#written.clear();
  }
}
