import { useEffect, useState } from 'react';
import styles from './markdown.module.css';

type Render = (text: string) => string;

let loaded: Render | undefined;

/** What a model or a user wrote. Until the renderer is there it is plain text. */
export function Markdown({ text }: { readonly text: string }) {
  const [render, setRender] = useState<Render | undefined>(() => loaded);
  useEffect(() => {
    if (loaded !== undefined) return;
    let left = false;
    void import('./render.ts').then(({ renderMarkdown }) => {
      loaded = renderMarkdown;
      if (!left) setRender(() => renderMarkdown);
    });
    return () => {
      left = true;
    };
  }, []);
  if (render === undefined) return <div className={styles.plain}>{text}</div>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: DOMPurify made it safe
  return <div className={styles.markdown} dangerouslySetInnerHTML={{ __html: render(text) }} />;
}
