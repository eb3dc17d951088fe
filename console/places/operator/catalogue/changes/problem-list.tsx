import { Icon } from '../../../../parts/icons/icon.tsx';
import { Mono } from '../../../../parts/text/text.tsx';
import css from '../catalogue.module.css';
import { isPrice } from '../model/typed-price.ts';
import { useCatalogueTexts } from '../texts.ts';
import { type Problem, plainMessage } from '../use-catalogue.ts';
import { type Document, type Entry, entriesOf, KINDS, keyOf } from './document.ts';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  /** Names the places in words: of a draft, which has no lines. */
  readonly document?: Document | undefined;
  /** Leads to the line. */
  readonly onLine?: ((line: number) => void) | undefined;
}

/** What is wrong with a file, and where. */
export function ProblemList({ problems, document, onLine }: ProblemListProps) {
  const t = useCatalogueTexts();
  return (
    <ul className={css.problems} role="alert">
      {problems.map(({ path, line, message }) => (
        <li key={`${path} ${line} ${message}`}>
          <Icon name="alert" size={14} />
          <span>
            {line !== null && (
              <button type="button" onClick={() => onLine?.(line)}>
                {t.problems.line(line)}
              </button>
            )}{' '}
            <Told {...{ path, message, document }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ToldProps extends Pick<Problem, 'path' | 'message'> {
  readonly document: Document | undefined;
}

/** `models[2].prices.output` is the output price of the third model. */
function Told({ path, message, document }: ToldProps) {
  const t = useCatalogueTexts();
  const [, kindName, place, price, rest] = /^(\w+)\[(\d+)\](?:\.prices\.(\w+)|\.?(.*))$/.exec(path) ?? [];
  const kind = KINDS.find((each) => each === kindName);
  const entry = kind && document && entriesOf(document, kind)[Number(place)];
  const text = plainMessage({ path, message });
  if (kind === undefined || entry === undefined) {
    return (
      <>
        {path !== '' && <Mono>{path}</Mono>} {text}
      </>
    );
  }
  const typed = String(((entry.prices ?? {}) as Entry)[price ?? ''] ?? '');
  return (
    <>
      <b>{keyOf(kind, entry)}</b>
      {t.problems.at(price === undefined ? (rest ?? '') : t.priceName(price))}{' '}
      {price === undefined || isPrice(typed) ? text : t.price.wrong}
    </>
  );
}
