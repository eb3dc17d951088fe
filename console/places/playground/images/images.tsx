import { Link } from '@tanstack/react-router';
import { useStore } from '../../../app/store.ts';
import { AnchorButton, Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons/icon.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { credits, duration, money, written } from '../../../parts/text/format.ts';
import { Pill, VendorMark } from '../../../parts/text/status.tsx';
import { Dim, Mono } from '../../../parts/text/text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import composer from '../composer.module.css';
import { Box } from '../composer.tsx';
import { dataUrl, isPicture } from '../lanes/conversation.ts';
import { useStopKey } from '../lanes/lanes.tsx';
import { RefusalNote } from '../lanes/refusal.tsx';
import { Dots } from '../lanes/turn-view.tsx';
import type { OfferedModel } from '../models.ts';
import { useLoggedCall, useQuote } from '../prices.ts';
import { usePlaygroundTexts } from '../texts.ts';
import type { Workspace } from '../workspace.ts';
import type { ImageRun, ImageSettings } from './image-feed.ts';
import css from './images.module.css';

export interface ImagesProps {
  readonly model: OfferedModel | undefined;
  readonly workspace: Workspace;
  readonly onSide: () => void;
}

/** Pictures: the newest large, earlier ones below, and the field that asks for more. */
export function Images({ model, workspace, onSide }: ImagesProps) {
  const t = usePlaygroundTexts();
  const runs = useStore(workspace.images.runs);
  const [newest, ...earlier] = runs;
  if (model === undefined) return <Empty title={t.noModels}>{t.noModelsHelp}</Empty>;
  const attach = (run: ImageRun, place: number): void => {
    const picture = run.pictures[place];
    if (picture === undefined) return;
    const draft = workspace.imageDraft.read();
    const name = `picture-${place + 1}.${picture.mediaType.slice('image/'.length)}`;
    const attachments = [...draft.attachments, { name, ...picture }];
    workspace.imageDraft.write({ ...draft, attachments });
  };
  return (
    <>
      <div className={css.feed}>
        {newest === undefined ? (
          <div className={css.empty}>
            <Empty title={t.images.emptyTitle}>{t.images.empty}</Empty>
          </div>
        ) : (
          <Run run={newest} vendor={model.vendor} onUse={(place) => attach(newest, place)} />
        )}
        {earlier.length > 0 && (
          <section className={css.earlier}>
            <header>
              <h2>{t.images.earlier}</h2>
              <Dim>{t.images.earlierNote}</Dim>
              <Link to="/calls" search={{ protocol: 'images' }}>
                {t.images.allCalls}
              </Link>
            </header>
            <ul>
              {earlier.map((run) => (
                <Past key={run.id} run={run} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <ImageComposer {...{ model, workspace, onSide }} />
    </>
  );
}

function Run(given: {
  readonly run: ImageRun;
  readonly vendor: string;
  readonly onUse: (place: number) => void;
}) {
  const { run, vendor, onUse } = given;
  const t = usePlaygroundTexts();
  const { settings, requestId, problem } = run;
  const time = written(duration(run.totalMs));
  return (
    <section className={css.run} aria-busy={run.state === 'running'}>
      <header>
        <div>
          <p className={css.prompt}>{run.prompt}</p>
          <p className={css.meta}>
            <VendorMark name={vendor} />
            <b>{run.model}</b>
            <span>
              {t.images.sizes[settings.size]}, {t.images.qualities[settings.quality]}
            </span>
            {run.state === 'complete' && <span>{t.images.made(run.made, time)}</span>}
            {requestId !== '' && (
              <Link to="/calls" search={{ call: requestId }}>
                <Mono>{requestId}</Mono>
              </Link>
            )}
          </p>
        </div>
        <RunCost run={run} />
      </header>
      {problem !== undefined && <RefusalNote problem={problem} facts={run} onAgain={undefined} />}
      <div className={css.pictures}>
        {run.state === 'running' &&
          Array.from({ length: settings.count }, (_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the frames are all alike
            <div key={place} className={css.frame}>
              {place === 0 && <Dots />}
            </div>
          ))}
        {run.pictures.map((picture, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures of a run do not change
          <figure key={place}>
            <img src={dataUrl(picture)} alt={t.images.result(place + 1)} />
            <figcaption>
              <span>{place + 1}</span>
              <Button
                variant="ghost"
                size="xs"
                icon="plus"
                aria-label={t.images.use(place + 1)}
                onClick={() => onUse(place)}
              />
              <AnchorButton
                variant="ghost"
                size="xs"
                icon="download"
                aria-label={t.images.download(place + 1)}
                href={dataUrl(picture)}
                download={`${requestId}-${place + 1}.${settings.format}`}
              />
            </figcaption>
          </figure>
        ))}
      </div>
      {run.state !== 'running' && run.made > 0 && run.pictures.length === 0 && (
        <Dim>{t.turn.pictureGone}</Dim>
      )}
    </section>
  );
}

function RunCost({ run }: { readonly run: ImageRun }) {
  const t = usePlaygroundTexts();
  const call = useLoggedCall(run.state === 'running' ? undefined : run);
  return (
    <div className={css.cost}>
      {run.state === 'running' ? (
        <Pill tone="accent" dot="live">
          {t.images.running(run.settings.count)}
        </Pill>
      ) : run.state === 'complete' ? (
        <Pill tone="ok" icon="check">
          {t.lane.complete}
        </Pill>
      ) : (
        <Pill tone={run.state === 'failed' ? 'bad' : 'warn'}>{t.lane[run.state]}</Pill>
      )}
      {call !== undefined && (
        <>
          <b>{money(call.amount, { decimals: 6 })}</b>
          <small>
            {call.free_reason === null
              ? t.turn.credits(credits(call.credits))
              : t.turn.free[call.free_reason]}
          </small>
        </>
      )}
    </div>
  );
}

function Past({ run }: { readonly run: ImageRun }) {
  const t = usePlaygroundTexts().images;
  const call = useLoggedCall(run);
  const [picture] = run.pictures;
  return (
    <li>
      {picture === undefined ? (
        <span className={css.thumb}>
          <Icon name="image" />
        </span>
      ) : (
        <img className={css.thumb} src={dataUrl(picture)} alt="" />
      )}
      <div>
        <b>{run.prompt}</b>
        <small>
          {t.pictures(run.made)}, {t.sizes[run.settings.size]}, {t.qualities[run.settings.quality]}
        </small>
      </div>
      <div className={css.pastCost}>
        {money(call?.amount, { decimals: 6 })}
        <small>
          <Time at={run.startedAt} />
        </small>
      </div>
    </li>
  );
}

function ImageComposer({ model, workspace, onSide }: ImagesProps & { readonly model: OfferedModel }) {
  const t = usePlaygroundTexts();
  const draft = useStore(workspace.imageDraft);
  const settings = useStore(workspace.imageSettings);
  const running = useStore(workspace.images.runs).some(({ state }) => state === 'running');
  const stop = (): void => workspace.images.stop();
  useStopKey(running, stop);
  const make = (): void => {
    const { text, attachments } = workspace.imageDraft.read();
    if (text.trim() === '' || running) return;
    workspace.imageDraft.write({ text: '', attachments: [] });
    const inputs = attachments.filter(isPicture);
    void workspace.images.make({ model: model.id, prompt: text, settings, inputs });
  };
  return (
    <Box
      draft={workspace.imageDraft}
      label={t.images.prompt}
      placeholder={t.images.placeholder}
      accept="image/*"
      onSend={make}
    >
      <Button
        variant="ghost"
        size="sm"
        icon="gear"
        className={composer.narrow}
        aria-label={t.composer.parameters}
        onClick={onSide}
      />
      <ImagePrice model={model} settings={settings} />
      {running ? (
        <Button size="sm" icon="stop" aria-keyshortcuts="Escape" onClick={stop}>
          {t.composer.stop} <kbd className={composer.wide}>Esc</kbd>
        </Button>
      ) : (
        <Button size="sm" variant="primary" disabled={draft.text.trim() === ''} onClick={make}>
          {t.images.make(settings.count)} <kbd className={composer.wide}>↵</kbd>
        </Button>
      )}
    </Box>
  );
}

/** The whole equation, by the server. */
function ImagePrice({ model, settings }: { readonly model: OfferedModel; readonly settings: ImageSettings }) {
  const t = usePlaygroundTexts();
  const quote = useQuote(model.id, { images: settings.count });
  const [line] = quote?.lines ?? [];
  if (quote === undefined || line === undefined) return <span className={composer.estimate} />;
  const rates = Object.entries(quote.rates).flatMap(([name, rate]) => {
    const factor = name === 'rate_multiplier' ? rate : rate / 100;
    return factor === 1 ? [] : [` × ${factor}`];
  });
  return (
    <span className={composer.estimate}>
      <span className={composer.wide}>
        {line.quantity} × {money(line.price)}
        {rates.join('')} ={' '}
      </span>
      <b>{money(quote.amount, { decimals: 6 })}</b>
      <span className={composer.wide}>
        , {t.turn.credits(credits(quote.credits))}, {t.images.exact}
      </span>
    </span>
  );
}
