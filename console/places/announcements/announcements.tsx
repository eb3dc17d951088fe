import { useApi } from '../../api/api.ts';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { ErrorNote } from '../../parts/page/error-note.tsx';
import { Page, PageHead, Section } from '../../parts/page/layout.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { Time } from '../../parts/text/time.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './announcements.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** News of the operator, for everybody. */
export function Announcements() {
  const t = useTexts({ en, zh });
  const news = useApi('listActiveAnnouncements', {});
  const items = news.data?.data;
  return (
    <Page>
      <PageHead title={t.title} lead={t.lead} />
      <div className={css.column}>
        {news.isError && (
          <ErrorNote cause={t.unread} requestId={news.error.requestId} onRetry={() => void news.refetch()} />
        )}
        {items === undefined && <SkeletonLines />}
        {items?.length === 0 && <Empty title={t.none}>{t.noneText}</Empty>}
        {items?.map(({ id, title, body, starts_at }) => (
          <Section key={id} title={title} note={<Time at={starts_at} />}>
            <Markdown text={body} />
          </Section>
        ))}
      </div>
    </Page>
  );
}
