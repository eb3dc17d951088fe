import { Tasks } from '../kernel/async/task.ts';
import type { Logger } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { visitorAddress } from '../kernel/visitor.ts';
import { LOGIN_BUSY_MS, RESET_ANSWER_MS, RESET_TOKEN_MS, VERIFY_TOKEN_MS } from '../operations/bounds.ts';
import type {
  AccountMails,
  AddressClaim,
  FailureStore,
  MailStore,
  PasswordReset,
  ResetClaim,
  Wait,
} from './login-contract.ts';
import { hashPassword, PasswordsBusy } from './password.ts';
import { mailScopes } from './throttle.ts';
import { hashSecret, newMailToken, type Tokens } from './token.ts';

export interface AccountMailParts {
  readonly store: MailStore & Pick<FailureStore, 'countAttempt'>;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** A time as it stands in a mail. */
  showTime(timeMs: number): string;
}

export function createAccountMails(parts: AccountMailParts): AccountMails {
  return new TokenMails(parts);
}

/** Links that prove that a mailbox belongs to who uses them. */
class TokenMails implements AccountMails {
  readonly #parts: AccountMailParts;
  readonly #tasks: Tasks;

  constructor(parts: AccountMailParts) {
    this.#parts = parts;
    this.#tasks = new Tasks(parts.log);
  }

  /**
   * The answer is the same and takes the same time whether there is such an account. The mail is written
   * beside it, and the attempt is counted before, for unknown addresses too.
   */
  async askReset({ email, address, language }: ResetClaim): Promise<Wait | undefined> {
    const wait = await this.#count('reset', email, address);
    if (wait !== undefined) return wait;
    const { store, clock, random } = this.#parts;
    const token = newMailToken(random);
    const expiresAtMs = clock.now() + RESET_TOKEN_MS;
    this.#tasks.run('password reset', () => store.mailReset({ email, token, expiresAtMs, language }));
    await new Promise((resolve) => setTimeout(resolve, RESET_ANSWER_MS));
    return undefined;
  }

  /** 256 random bits cannot be guessed, so a wrong token costs one statement and no hash. */
  async resetPassword(token: string, password: string, address: string): Promise<PasswordReset> {
    const { store, clock, random, showTime } = this.#parts;
    const tokenHash = hashSecret(token);
    const nowMs = clock.now();
    if (!(await store.isMailToken('reset', tokenHash, nowMs))) return { kind: 'wrong' };
    let passwordHash: string;
    try {
      passwordHash = await hashPassword(password, random);
    } catch (error) {
      if (error instanceof PasswordsBusy) return { kind: 'wait', waitMs: LOGIN_BUSY_MS };
      throw error;
    }
    const notice = { at: showTime(nowMs), address: visitorAddress(address) };
    const ended = await store.resetPassword({ tokenHash, passwordHash, nowMs, notice });
    return ended === undefined ? { kind: 'wrong' } : { kind: 'reset', ended };
  }

  async askVerification({ accountId, address, language }: AddressClaim): Promise<Wait | undefined> {
    const wait = await this.#count('verify', String(accountId), address);
    if (wait !== undefined) return wait;
    const { store, clock, random } = this.#parts;
    const token = newMailToken(random);
    const expiresAtMs = clock.now() + VERIFY_TOKEN_MS;
    await store.mailVerification({ accountId, token, expiresAtMs, language });
    return undefined;
  }

  confirmAddress(token: string): Promise<boolean> {
    const { store, clock } = this.#parts;
    return store.confirmAddress(hashSecret(token), clock.now());
  }

  async #count(purpose: string, account: string, address: string): Promise<Wait | undefined> {
    const { store, tokens, clock } = this.#parts;
    const [accountMark, addressMark] = [account, visitorAddress(address)].map((text) =>
      tokens.computeMark(text),
    );
    const scopes = mailScopes(purpose, accountMark ?? '', addressMark ?? '');
    const waitMs = await store.countAttempt(scopes, clock.now());
    return waitMs > 0 ? { kind: 'wait', waitMs } : undefined;
  }
}
