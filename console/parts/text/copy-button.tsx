import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { usePartTexts } from '../texts.ts';

export interface CopyButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'className'> {
  readonly text: string;
  /** Names what is copied: “Copy request id”. */
  readonly label?: string | undefined;
  /** With its word beside the icon. */
  readonly worded?: boolean | undefined;
}

const SHOWN_MS = 1_600;

/** Browsers without a clipboard (plain http) still copy from a selection. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error('not copied');
}

export function CopyButton({
  text,
  label,
  worded,
  variant = 'ghost',
  size = 'xs',
  className,
}: CopyButtonProps) {
  const t = usePartTexts();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  const said = state === 'copied' ? t.copied : state === 'failed' ? t.copyFailed : (label ?? t.copy);
  const icon = state === 'copied' ? 'check' : state === 'failed' ? 'alert' : 'copy';
  return (
    <Button
      variant={variant}
      size={size}
      className={className}
      icon={icon}
      title={state === 'failed' ? t.copyFailed : undefined}
      aria-label={said}
      onClick={copy}
    >
      {worded === true ? (state === 'copied' ? t.copied : t.copy) : undefined}
    </Button>
  );
}
