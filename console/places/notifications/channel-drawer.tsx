import { type ReactNode, useState } from 'react';
import { useCrumb } from '../../app/crumb.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/form/choice.tsx';
import { Dialog } from '../../parts/overlay/dialog.tsx';
import { Drawer, DrawerSection } from '../../parts/overlay/drawer.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { KeyOnce } from '../../parts/text/key-once.tsx';
import { Row } from '../../parts/text/text.tsx';
import { useLanguage, useTexts } from '../../texts/language.ts';
import { en } from './channel.texts.en.ts';
import { zh } from './channel.texts.zh.ts';
import { ChannelFields, type Draft, wrongFields } from './channel-fields.tsx';
import css from './channels.module.css';
import { type Channel, type Desk, useDeskWrite } from './desk.ts';
import { TestResult } from './test-result.tsx';
import { useChannelTest } from './use-test.ts';

export interface ChannelDrawerProps {
  readonly desk: Desk;
  /** Undefined: a new one. */
  readonly channel: Channel | undefined;
  readonly ownAddress?: string | undefined;
  /** Why there can be no mails. Undefined: there can. */
  readonly noMail?: ReactNode;
  readonly onClose: () => void;
  readonly onDelete: (channel: Channel) => void;
}

/** A channel beside the list. A new webhook shows its secret, this once. */
export function ChannelDrawer({ channel, ...rest }: ChannelDrawerProps) {
  const t = useTexts({ en, zh });
  const [made, setMade] = useState<Made>();
  useCrumb(channel?.name ?? t.addTitle);
  if (channel !== undefined) return <EditChannel channel={channel} {...rest} />;
  if (made !== undefined) return <MadeChannel desk={rest.desk} made={made} onClose={rest.onClose} />;
  return <NewChannelForm {...rest} onMade={setMade} />;
}

interface Made {
  readonly id: number;
  readonly name: string;
  readonly secret: string;
}

interface NewChannelFormProps extends Omit<ChannelDrawerProps, 'channel' | 'onDelete'> {
  readonly onMade: (made: Made) => void;
}

function NewChannelForm({ desk, ownAddress, noMail, onClose, onMade }: NewChannelFormProps) {
  const t = useTexts({ en, zh });
  const language = useLanguage();
  const [draft, setDraft] = useState<Draft>({
    ...{ kind: 'webhook', name: '', address: '' },
    ...{ language, alerts: desk.alerts },
  });
  const write = useDeskWrite(desk, desk.create);
  const wrong = wrongFields(write.error);
  const { kind, address, ...rest } = draft;
  const name = draft.name.trim();
  const isOwn = kind === 'email' && ownAddress !== undefined;
  const canMail = kind === 'webhook' || noMail === undefined;
  const isReady = name !== '' && canMail && (isOwn || address.trim() !== '');
  const create = () => {
    const where = isOwn ? {} : { address: address.trim() };
    write.mutate(
      { ...rest, kind, name, ...where },
      { onSuccess: ({ id, secret }) => (secret === null ? onClose() : onMade({ id, name, secret })) },
    );
  };
  return (
    <Drawer label={t.addTitle} title={t.addTitle} size="narrow" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !write.isPending) create();
        }}
      >
        <DrawerSection>
          <div className={css.fields}>
            <ChannelFields
              {...{ desk, draft, wrong, ownAddress, noMail, isNew: true }}
              onChange={(change) => {
                setDraft({ ...draft, ...change });
                write.reset();
              }}
            />
            {write.isError && Object.keys(wrong).length === 0 && (
              <ErrorNote cause={write.error.message || t.notSaved} requestId={write.error.requestId} />
            )}
            <div className={css.buttons}>
              <Button variant="ghost" onClick={onClose}>
                {t.cancel}
              </Button>
              <Button type="submit" variant="primary" disabled={!isReady} pending={write.isPending}>
                {t.create}
              </Button>
            </div>
          </div>
        </DrawerSection>
      </form>
    </Drawer>
  );
}

interface MadeChannelProps {
  readonly desk: Desk;
  readonly made: Made;
  readonly onClose: () => void;
}

function MadeChannel({ desk, made, onClose }: MadeChannelProps) {
  const t = useTexts({ en, zh });
  const [isStored, setStored] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <Drawer
      label={t.made(made.name)}
      title={t.made(made.name)}
      size="narrow"
      onClose={() => (isStored ? onClose() : setAsking(true))}
      foot={
        <>
          <Checkbox checked={isStored} onChange={setStored}>
            {t.stored}
          </Checkbox>
          <Button className={css.last} variant="primary" disabled={!isStored} onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <DrawerSection>
        <KeyOnce title={t.secret} secret={made.secret}>
          {t.secretText}
        </KeyOnce>
      </DrawerSection>
      <TestSection desk={desk} id={made.id} />
      <Dialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.closeAsk.title}
        foot={
          <>
            <Button variant="ghost" onClick={onClose}>
              {t.closeAsk.close}
            </Button>
            <Button variant="primary" onClick={() => setAsking(false)}>
              {t.closeAsk.back}
            </Button>
          </>
        }
      >
        <p>{t.closeAsk.text}</p>
      </Dialog>
    </Drawer>
  );
}

interface EditChannelProps extends Omit<ChannelDrawerProps, 'channel' | 'noMail'> {
  readonly channel: Channel;
}

function EditChannel({ desk, channel, ownAddress, onClose, onDelete }: EditChannelProps) {
  const t = useTexts({ en, zh });
  const { kind, name, address, language, alerts } = channel;
  const [draft, setDraft] = useState<Draft>({ kind, name, address, language, alerts });
  const write = useDeskWrite(desk, () => desk.update(channel.id, changeOf(channel, draft)));
  const wrong = wrongFields(write.error);
  const isReady = draft.name.trim() !== '' && Object.keys(changeOf(channel, draft)).length > 0;
  const save = () => write.mutate(undefined, { onSuccess: onClose });
  return (
    <Drawer
      label={name}
      title={name}
      size="narrow"
      onClose={onClose}
      foot={
        <>
          <Button variant="danger" onClick={() => onDelete(channel)}>
            {t.delete}
          </Button>
          <Button
            className={css.last}
            variant="primary"
            disabled={!isReady}
            pending={write.isPending}
            onClick={save}
          >
            {t.save}
          </Button>
        </>
      }
    >
      <DrawerSection>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !write.isPending) save();
          }}
        >
          <ChannelFields
            {...{ desk, draft, wrong, ownAddress, noMail: undefined, isNew: false }}
            onChange={(change) => {
              setDraft({ ...draft, ...change });
              write.reset();
            }}
          />
          {write.isError && Object.keys(wrong).length === 0 && (
            <ErrorNote cause={write.error.message || t.notSaved} requestId={write.error.requestId} />
          )}
          {/* Enter in a field saves. */}
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        </form>
      </DrawerSection>
      <TestSection desk={desk} id={channel.id} />
    </Drawer>
  );
}

/** Only what differs is written. */
function changeOf(channel: Channel, draft: Draft): Partial<Draft> {
  const { address, language, alerts } = draft;
  const name = draft.name.trim();
  const isSame =
    alerts.length === channel.alerts.length && alerts.every((one) => channel.alerts.includes(one));
  return {
    ...(name !== channel.name && { name }),
    ...(address.trim() !== channel.address && { address: address.trim() }),
    ...(language !== channel.language && { language }),
    ...(!isSame && { alerts }),
  };
}

function TestSection({ desk, id }: { readonly desk: Desk; readonly id: number }) {
  const t = useTexts({ en, zh });
  const test = useChannelTest(desk, id);
  return (
    <DrawerSection title={t.test} note={t.testHelp}>
      <Row>
        <Button size="sm" icon="bolt" pending={test.isPending} onClick={test.run}>
          {t.test}
        </Button>
        <TestResult test={test} />
      </Row>
    </DrawerSection>
  );
}
