import { splitExemplar } from './exemplars.ts';

/** A format in which metrics are shown. */
export interface Exposition {
  readonly contentType: string;
  /** `figures` is what `renderMetrics` or `sumMetrics` returned. */
  show(figures: string): string;
}

const PLAIN: Exposition = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  show: (figures) => mapLines(figures, (line) => splitExemplar(line).sample),
};

const OPEN_METRICS: Exposition = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  show: toOpenMetrics,
};

/** OpenMetrics for a scraper that prefers it, the text format of Prometheus for everybody else. */
export function chooseExposition(accept: string | undefined): Exposition {
  let open = 0;
  let plain = 0;
  for (const { type, version, quality } of readAccept(accept ?? '')) {
    if (type === 'application/openmetrics-text' && (version === '' || version === '1.0.0')) {
      open = Math.max(open, quality);
    } else if (type === 'text/plain') plain = Math.max(plain, quality);
  }
  return open > 0 && open >= plain ? OPEN_METRICS : PLAIN;
}

interface Accepted {
  readonly type: string;
  readonly version: string;
  readonly quality: number;
}

function readAccept(accept: string): readonly Accepted[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const find = (name: string): string =>
      parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    const quality = find('q') === '' ? 1 : Number(find('q'));
    return { type, version: find('version').replaceAll('"', ''), quality: quality >= 0 ? quality : 0 };
  });
}

function mapLines(figures: string, show: (line: string) => string): string {
  return figures.split('\n').map(show).join('\n');
}

const TOTAL = '_total';

/** Families of counters have no `_total` in their names there, and bounds of buckets are floats. */
function toOpenMetrics(figures: string): string {
  const counters = new Set(
    [...figures.matchAll(/^# TYPE (\S+)_total counter$/gm)].map(([, family]) => family),
  );
  const shown = mapLines(figures, (line) => {
    if (!line.startsWith('# ')) return line.replace(/(?<=[{,])le="(\d+)"\}/, 'le="$1.0"}');
    const [, keyword = '', name = '', text = ''] = /^# (\S+) (\S+) (.*)$/.exec(line) ?? [];
    const family = name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
    const shownName = counters.has(family) ? family : name;
    return `# ${keyword} ${shownName} ${keyword === 'HELP' ? text.replaceAll('"', '\\"') : text}`;
  });
  return `${shown}# EOF\n`;
}
