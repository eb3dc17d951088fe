import { useRef } from 'react';
import { type Store, useStore } from '../../app/store.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons/icon.tsx';
import css from './composer.module.css';
import { type Attachment, dataUrl, isPicture } from './lanes/conversation.ts';
import { usePlaygroundTexts } from './texts.ts';
import type { Draft } from './workspace.ts';

const FILE_BYTES_MAX = 20_000_000;

async function readFile(file: File): Promise<Attachment> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('not read'));
    reader.readAsDataURL(file);
  });
  const mediaType = file.type || 'text/plain';
  return { name: file.name || 'picture.png', mediaType, data: url.slice(url.indexOf(',') + 1) };
}

/** Adds files to the draft. Those that are too large are named. */
export function usePaste(draft: Store<Draft>, onProblem: (text: string) => void) {
  const t = usePlaygroundTexts().composer;
  return (files: FileList): void => {
    const all = [...files];
    const large = all.find(({ size }) => size > FILE_BYTES_MAX);
    onProblem(large === undefined ? '' : t.tooLarge(large.name));
    void Promise.all(all.filter(({ size }) => size <= FILE_BYTES_MAX).map(readFile)).then((read) => {
      const now = draft.read();
      draft.write({ ...now, attachments: [...now.attachments, ...read] });
    });
  };
}

interface AttachButtonProps {
  readonly accept: string | undefined;
  readonly onFiles: (files: FileList) => void;
}

export function AttachButton({ accept, onFiles }: AttachButtonProps) {
  const t = usePlaygroundTexts().composer;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        icon="clip"
        aria-label={t.attach}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        accept={accept}
        aria-label={t.attach}
        onChange={(event) => {
          if (event.target.files !== null) onFiles(event.target.files);
          event.target.value = '';
        }}
      />
    </>
  );
}

export function AttachmentList({ draft }: { readonly draft: Store<Draft> }) {
  const t = usePlaygroundTexts().composer;
  const given = useStore(draft);
  if (given.attachments.length === 0) return null;
  const remove = (place: number): void => {
    const now = draft.read();
    draft.write({ ...now, attachments: now.attachments.toSpliced(place, 1) });
  };
  return (
    <ul className={css.attachments}>
      {given.attachments.map((file, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li key={place}>
          {isPicture(file) ? <img src={dataUrl(file)} alt="" /> : <Icon name="clip" size={14} />}
          <span>{file.name}</span>
          <Button
            variant="ghost"
            size="xs"
            icon="x"
            aria-label={t.detach(file.name)}
            onClick={() => remove(place)}
          />
        </li>
      ))}
    </ul>
  );
}
