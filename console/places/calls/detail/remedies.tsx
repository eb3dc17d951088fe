import type { LinkProps } from '@tanstack/react-router';
import { useServerTimes } from '../../../app/server-time.ts';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Icon, type IconName } from '../../../parts/icons/icon.tsx';
import { DrawerSection } from '../../../parts/overlay/drawer.tsx';
import { useNow } from '../../../parts/text/now.ts';
import { CountDown } from '../../../parts/text/time.tsx';
import { useTexts } from '../../../texts/language.ts';
import css from '../drawer.module.css';
import type { Texts } from '../list/columns.tsx';
import type { CallDetail } from '../search.ts';
import { en } from '../texts.en.ts';
import { zh } from '../texts.zh.ts';

type Limit = NonNullable<NonNullable<CallDetail['refusal']>['limit']>;

export function useResetMs(limit: Limit | undefined): number | undefined {
  const times = useServerTimes();
  const at = limit?.resets_at ?? null;
  return at === null ? undefined : times.read(at);
}

interface Remedy {
  readonly name: keyof Texts['refusal']['remedies'];
  readonly icon: IconName;
  readonly to?: LinkProps['to'];
  readonly hash?: string;
  /** The key of the call stands open there. */
  readonly isOfKey?: boolean;
  readonly button?: keyof Texts['refusal']['buttons'];
}

const WAIT: Remedy = { name: 'wait', icon: 'clock' };
const POLICY: Remedy = { name: 'policy', icon: 'key', to: '/keys', isOfKey: true, button: 'policy' };
const PLAN: Remedy = { name: 'plan', icon: 'layers', to: '/plan', button: 'plan' };
const NAMED_PLAN: Remedy = { name: 'namedPlan', icon: 'layers', to: '/plan', button: 'plan' };
const EXCHANGE: Remedy = { name: 'exchange', icon: 'wallet', to: '/wallet', button: 'exchange' };
const BILLING: Remedy = { name: 'billing', icon: 'wallet', to: '/wallet', button: 'wallet' };
const SETTINGS = { icon: 'shield', to: '/settings', hash: 'verification', button: 'verify' } as const;
const VERIFY: Remedy = { name: 'verify', ...SETTINGS };
const ENTERPRISE: Remedy = { name: 'enterprise', ...SETTINGS };
const CREDENTIALS: Remedy = { name: 'credentials', icon: 'plug', to: '/credentials', button: 'credentials' };
const MODELS: Remedy = { name: 'models', icon: 'cube', to: '/models', button: 'models' };
const REQUEST: Remedy = { name: 'request', icon: 'code' };
const AGAIN: Remedy = { name: 'again', icon: 'refresh', to: '/playground', button: 'again' };
const FEWER: Remedy = { name: 'fewer', icon: 'layers' };
const SMALLER: Remedy = { name: 'smaller', icon: 'text' };
const CAP: Remedy = { name: 'cap', icon: 'wallet', to: '/wallet', button: 'cap' };
const KEY: Remedy = { name: 'key', icon: 'key', to: '/keys', button: 'keys' };

const BY_CODE: Readonly<Record<number, readonly Remedy[]>> = {
  40004: [REQUEST, MODELS],
  40101: [KEY],
  40201: [EXCHANGE, SMALLER],
  40202: [BILLING, PLAN, CREDENTIALS],
  40204: [CAP, CREDENTIALS],
  42901: [FEWER],
  42902: [WAIT],
  42903: [WAIT],
  50001: [AGAIN],
  50201: [MODELS],
  50202: [AGAIN],
  50301: [AGAIN],
  50401: [AGAIN],
};

const NOT_ADMITTED = 40203;

/** Only the message says what the model asks for: a plan, or one of the verifications. */
function admissionOf(message: string): Remedy {
  if (/^subscription\b/i.test(message)) return NAMED_PLAN;
  return /^enterprise\b/i.test(message) ? ENTERPRISE : VERIFY;
}

/** Whose limit it is decides what moves it: a plan does nothing for the policy of a key. */
function remediesOfLimit({ dimension, scope }: Limit): readonly Remedy[] {
  if (dimension === 'credits') return [EXCHANGE, SMALLER];
  if (dimension === 'cap') return [CAP, CREDENTIALS];
  if (dimension === 'coverage') return [WAIT, PLAN, BILLING];
  return [dimension === 'concurrency' ? FEWER : WAIT, scope === 'key' ? POLICY : PLAN];
}

/** What would really let this call pass. */
function remediesOf(call: CallDetail, limit: Limit | undefined): readonly Remedy[] {
  const { error_code: code, status, refusal } = call;
  if (limit !== undefined) return remediesOfLimit(limit);
  if (code === NOT_ADMITTED) return [admissionOf(refusal?.message ?? '')];
  return BY_CODE[code ?? 0] ?? (status < 500 ? [REQUEST] : [AGAIN]);
}

interface RemediesProps {
  readonly call: CallDetail;
  readonly limit: Limit | undefined;
}

export function Remedies({ call, limit }: RemediesProps) {
  const t = useTexts({ en, zh }).refusal;
  const resetMs = useResetMs(limit);
  const isOpen = useNow() >= (resetMs ?? Number.POSITIVE_INFINITY);
  return (
    <DrawerSection title={t.remedy}>
      <ul className={css.remedies}>
        {remediesOf(call, limit).map(({ name, icon, to, hash, isOfKey, button }, at) => {
          const [title, why] = t.remedies[name === 'wait' && isOpen ? 'waitOpen' : name];
          const isWait = name === 'wait';
          return (
            <li key={name} className={css.remedy}>
              <Icon name={icon} />
              <span>
                <b>{title}</b>
                <small>{why}</small>
              </span>
              {isWait && resetMs !== undefined && (
                <Again model={call.model_used} isOpen={isOpen} resetMs={resetMs} />
              )}
              {to !== undefined && button !== undefined && (
                <LinkButton
                  size="sm"
                  variant={at === 0 ? 'primary' : 'secondary'}
                  to={to}
                  {...(hash !== undefined && { hash })}
                  {...(isOfKey === true && { search: { open: call.key_id } as never })}
                >
                  {t.buttons[button]}
                </LinkButton>
              )}
            </li>
          );
        })}
      </ul>
    </DrawerSection>
  );
}

interface AgainProps {
  readonly model: string;
  readonly isOpen: boolean;
  readonly resetMs: number;
}

function Again({ model, isOpen, resetMs }: AgainProps) {
  const t = useTexts({ en, zh }).refusal;
  if (!isOpen) {
    return (
      <Button variant="primary" size="sm" disabled>
        {t.buttons.again} <CountDown until={resetMs} />
      </Button>
    );
  }
  return (
    <LinkButton variant="primary" size="sm" to="/playground" search={{ model } as never}>
      {t.buttons.again}
    </LinkButton>
  );
}
