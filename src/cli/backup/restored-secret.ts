import { newSealer, opensCheckValue, secretWeakness } from '../../kernel/encoding/seal.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Sealed } from '../../store/backup/about.ts';
import { RestoreRefused } from '../../store/backup/load.ts';
import { describeSealed } from './sealed-text.ts';

export interface Secrets {
  /** `TOLLGATE_SECRET`. */
  readonly configured: string | undefined;
  /** The file in the data directory. */
  readonly inDirectory: string | undefined;
  readonly inBackup: string | undefined;
  /** What only the right secret opens; null if nothing was ever sealed. */
  readonly checkValue: string | null;
}

export interface SecretChoice {
  readonly mayReplace: boolean;
  /** A person has said that what is sealed may be lost. */
  readonly mayLose: boolean;
  readonly sealed: Sealed;
}

/** `kept`: the secret that is here fits. `written`: that of the backup is put into place. `lost`: neither. */
export type SecretOutcome = 'kept' | 'written' | 'lost';

/** The server must find the secret that the restored data was sealed with. */
export function chooseSecret(secrets: Secrets, choice: SecretChoice): SecretOutcome {
  const { configured, inDirectory, inBackup, checkValue } = secrets;
  const here = configured ?? inDirectory;
  if (checkValue === null) return here === undefined && inBackup !== undefined ? 'written' : 'kept';
  if (opens(here, checkValue)) return 'kept';
  if (opens(inBackup, checkValue)) {
    if (configured !== undefined) {
      throw new RestoreRefused(
        'TOLLGATE_SECRET is not the secret of this backup: unset it, and the secret of the backup is used',
      );
    }
    if (inDirectory === undefined || choice.mayReplace) return 'written';
    throw new RestoreRefused(
      'the data directory has another secret than the backup: say --replace to use that of the backup',
    );
  }
  if (choice.mayLose) return 'lost';
  const where = here === undefined ? 'There is no secret here' : 'The secret here is another one';
  throw new RestoreRefused(
    `the backup does not contain its secret. ${where}: set TOLLGATE_SECRET, or put the file "secret" into ` +
      `the data directory; or say --new-secret to do without. ${describeSealed(choice.sealed)}`,
  );
}

function opens(secret: string | undefined, checkValue: string): boolean {
  if (secret === undefined || secretWeakness(secret) !== undefined) return false;
  return opensCheckValue(newSealer([secret], systemRandom), checkValue);
}
