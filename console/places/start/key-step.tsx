import { Link } from '@tanstack/react-router';
import { useApi, useApiWrite } from '../../api/api.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Step } from '../../parts/page/steps.tsx';
import { KeyOnce } from '../../parts/text/key-once.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './start.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The key that this page has made. It is gone with the page. */
export interface MadeKey {
  readonly id: number;
  readonly name: string;
  readonly secret: string;
}

export interface KeyStepProps {
  readonly made: MadeKey | undefined;
  readonly onMade: (key: MadeKey) => void;
}

export function KeyStep({ made, onMade }: KeyStepProps) {
  const { key: t } = useTexts({ en, zh });
  const keys = useApi('listKeys', { query: { size: 100 } }).data;
  const write = useApiWrite('createKey', ['listKeys']);
  const [newest] = keys?.data.filter(({ status }) => status === 'enabled') ?? [];
  const make = async (): Promise<void> => {
    const names = new Set(keys?.data.map(({ name }) => name));
    const { data } = await write.mutateAsync({ body: { name: freeName(names) } });
    onMade({ id: data.id, name: data.name, secret: data.api_key });
  };
  const button = (
    <Button
      variant={newest === undefined ? 'primary' : 'secondary'}
      icon="plus"
      pending={write.isPending}
      disabled={keys === undefined}
      onClick={() => void make().catch(() => {})}
    >
      {newest === undefined ? t.make : t.makeAnother}
    </Button>
  );
  return (
    <Step number={2} state={made !== undefined || newest !== undefined ? 'done' : 'on'} title={t.title}>
      {made !== undefined && <KeyOnce title={t.ready(made.name)} secret={made.secret} />}
      {made === undefined && newest !== undefined && (
        <p>
          {t.known(
            <b key="name">{newest.name}</b>,
            <code key="prefix">{newest.prefix}</code>,
            <Time key="made" at={newest.created_at} />,
          )}
          <Link to="/keys">{t.all}</Link>
        </p>
      )}
      {made === undefined && newest === undefined && <p>{t.text}</p>}
      {made === undefined && <div className={css.act}>{button}</div>}
      {write.error !== null && (
        <ErrorNote cause={t.failed} remedy={write.error.message} requestId={write.error.requestId} />
      )}
    </Step>
  );
}

/** `first`, then `first 2`. */
function freeName(taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const name = number === 2 && !taken.has('first') ? 'first' : `first ${number}`;
    if (!taken.has(name)) return name;
  }
}
