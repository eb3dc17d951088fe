import type { ApiError } from '../../api/api.ts';
import { ConfirmByName } from '../../parts/overlay/dialog.tsx';
import { useTexts } from '../../texts/language.ts';
import { en } from './shared.texts.en.ts';
import { zh } from './shared.texts.zh.ts';
import { WriteError } from './shared.tsx';

const BAD_PARAMETER = 1001;

/** Whether the server refused a write because a price or a rate becomes 0, or a price is removed. */
export function needsFreeYes(error: ApiError | null): boolean {
  return error?.code === BAD_PARAMETER && error.message.startsWith('confirm_free');
}

interface ConfirmFreeProps {
  /** What must be typed: the entry whose price it is. */
  readonly name: string;
  /** Each price with its value before and after. */
  readonly lines: readonly string[];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly pending: boolean;
  readonly error?: ApiError | null;
}

/** The explicit yes to prices that become 0. */
export function ConfirmFree({ name, lines, onConfirm, onClose, pending, error = null }: ConfirmFreeProps) {
  const t = useTexts({ en, zh }).free;
  return (
    <ConfirmByName {...{ open: true, onClose, onConfirm, pending, name }} title={t.title} action={t.action}>
      {t.text}
      {lines.map((line) => (
        <span key={line}>
          <br />
          {line}
        </span>
      ))}
      <WriteError error={error} />
    </ConfirmByName>
  );
}
