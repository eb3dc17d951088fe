import { STANDARD_CATALOG } from '../../support/world.ts';

/** Accounts that tests take one after the other. Their passwords cost next to nothing, unlike new ones. */
export const MEMBERS_MAX = 200;
export const memberEmail = (number: number): string => `member-${number}@example.com`;

const MEMBERS = Array.from(
  { length: MEMBERS_MAX },
  (_, index) => `  - { email: ${memberEmail(index + 1)}, password: "a test password" }\n`,
);

/** The standard catalogue and the accounts of the tests. `accounts` is its last list. */
export const CONSOLE_CATALOG = `${STANDARD_CATALOG.trimEnd()}\n${MEMBERS.join('')}`;
