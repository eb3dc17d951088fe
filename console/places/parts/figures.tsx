import { BarChart, LineChart } from '../../parts/chart/chart.tsx';
import { CodeBlock, CopyLine } from '../../parts/code/code-block.tsx';
import { Diff } from '../../parts/figures/diff.tsx';
import { Receipt } from '../../parts/figures/receipt.tsx';
import { Bars, Legend, Shares } from '../../parts/figures/shares.tsx';
import { Sparkline, Stat, Stats as StatRow } from '../../parts/figures/stat.tsx';
import { TimeLine } from '../../parts/figures/time-line.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { money, percent } from '../../parts/text/format.ts';
import { KeyOnce } from '../../parts/text/key-once.tsx';
import { Money } from '../../parts/text/text.tsx';
import { CountDown, Time } from '../../parts/text/time.tsx';
import { Part } from './part.tsx';

/** Figures that look real and are the same each time. */
function wave(seed: number, count: number, size: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Number((size * (0.7 + 0.3 * Math.sin((index + seed) * 1.3) * Math.cos(index * seed))).toFixed(2)),
  );
}

export function Stats() {
  return (
    <Part title="Stat tile">
      <StatRow columns={2}>
        <Stat label="Spend" value="¥388.35" delta="−8.2 %" deltaTone="good">
          <Sparkline values={wave(2, 30, 80)} before={wave(3, 30, 70)} />
        </Stat>
        <Stat label="Failed" value="0.42" unit="%" delta="+0.09" deltaTone="bad">
          <Sparkline values={wave(5, 30, 80)} />
        </Stat>
      </StatRow>
    </Part>
  );
}

const DAYS = Array.from({ length: 30 }, (_, index) =>
  index < 12 ? `${index + 20} Oct` : `${index - 11} Nov`,
);
const NAMES = ['claude-sonnet-5', 'gpt-5', 'gemini-3-pro', 'gpt-image-1', 'Other'];
const SIZES = [7, 4.4, 2.4, 1.5, 0.9];
const SERIES = NAMES.map((name, index) => ({
  key: name,
  label: name,
  values: wave(index + 2, 30, SIZES[index] ?? 1),
  colour: index === 4 ? 8 : index + 1,
}));
const TOTALS = DAYS.map((_, at) =>
  money(SERIES.reduce((sum, each) => sum + (each.values[at] ?? 0), 0).toFixed(2)),
);
const LATENCY = [
  { key: 'p50', label: 'Median', values: wave(4, 30, 60), colour: 1 },
  { key: 'before', label: 'Before', values: wave(7, 30, 55), colour: 'before' as const },
];

export function Charts() {
  return (
    <Part title="Charts: one cursor for both" wide>
      <BarChart
        label="Spend by model, ¥ a day"
        labels={DAYS}
        series={SERIES}
        totals={TOTALS}
        note={() => '734 calls'}
        format={(value) => `¥${value}`}
        onPick={() => undefined}
      />
      <Shares
        shares={SERIES.map(({ key, colour }, index) => ({
          key,
          label: key,
          value: money(((SIZES[index] ?? 1) * 23).toFixed(2)),
          share: percent((SIZES[index] ?? 1) / 16.2),
          series: colour,
        }))}
      />
      <LineChart
        label="First token, ms"
        labels={DAYS}
        series={LATENCY}
        height={120}
        format={(value) => `${value} ms`}
      />
      <Legend series={[{ key: 'a', label: 'Median', series: 1 }]} />
      <Bars
        bars={NAMES.map((name, index) => ({
          key: name,
          label: name,
          ratio: (SIZES[index] ?? 1) / 7,
          value: money(String(SIZES[index])),
          detail: '12 calls',
        }))}
      />
    </Part>
  );
}

const RATES = [
  { name: 'model', rate: '1' },
  { name: 'platform', rate: '0.95' },
  { name: 'yours', rate: '0.90' },
  { name: 'vendor', rate: '1' },
  { name: 'credential', rate: '1.02' },
  { name: 'node', rate: '1' },
];

export function Receipts() {
  return (
    <Part title="Receipt and time line" wide>
      <TimeLine
        rows={[
          {
            key: 'g',
            label: 'Gate',
            startMs: 0,
            endMs: 3,
            tone: 'gate',
            took: '3 ms',
            note: 'admitted, 702.18 Credits held',
          },
          {
            key: '7',
            icon: 'x',
            label: 'anthropic route 7',
            startMs: 3,
            endMs: 415,
            tone: 'bad',
            took: '412 ms',
            note: '529 overloaded',
          },
          {
            key: '9',
            icon: 'check',
            label: 'anthropic route 9',
            startMs: 415,
            firstByteMs: 1_064,
            endMs: 9_409,
            took: '8,994 ms',
          },
        ]}
      />
      <Receipt
        lines={[
          {
            key: 'i',
            name: 'Input',
            detail: 'fresh',
            quantity: '3,180',
            price: '¥21.60',
            per: '/M',
            amount: '0.068688',
          },
          {
            key: 'c',
            name: 'Input',
            detail: 'read from cache',
            quantity: '24,576',
            price: '¥2.16',
            per: '/M',
            amount: '0.05308416',
          },
          {
            key: 'o',
            name: 'Output',
            detail: '620 of it reasoning',
            quantity: '1,412',
            price: '¥108.00',
            per: '/M',
            amount: '0.152496',
          },
        ]}
        listAmount="0.30191616"
        rates={RATES}
        product="0.263301083136"
        cut="−0.000000083136"
        amount="¥0.263301"
        after={[
          { key: 'c', name: '× 1,000 Credits per ¥', value: '263.301 Credits' },
          { key: 'p', name: 'Paid with Credits', value: '48,475 → 48,211.699', soft: true },
        ]}
      />
    </Part>
  );
}

const CURL = `curl -N https://gate.example.com/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" # yours`;
const PYTHON = `from openai import OpenAI
client = OpenAI(base_url="https://gate.example.com/v1", timeout=30)`;

export function Codes() {
  return (
    <Part title="Key, shown once; code; diff">
      <KeyOnce title="report-bot is ready" secret="tg-h5d0sx8q2w7n4v9m1k6r3t5y0b8c2f4g7j9pzae1" />
      <CodeBlock
        samples={[
          { key: 'curl', label: 'curl', language: 'bash', code: CURL },
          { key: 'openai', label: 'openai', language: 'python', code: PYTHON },
        ]}
      />
      <CodeBlock
        samples={[{ key: 'json', label: 'json', language: 'json', code: '{ "a": 1, "b": "two" }' }]}
      />
      <CopyLine text="https://gate.example.com/v1" label="Copy address" />
      <Diff
        lines={[
          { kind: 'head', text: '@@ policies / pro' },
          { kind: 'same', number: 119, text: 'requests: 600' },
          { kind: 'removed', number: 120, text: 'concurrency: 16', mark: [13, 15] },
          { kind: 'added', number: 120, text: 'concurrency: 20', mark: [13, 15] },
        ]}
      />
    </Part>
  );
}

const NOTE = `## A heading
Some **bold** text, \`code\`, [a link](https://example.com), [a bad one](javascript:alert(1)).

- one
- two

![a picture](https://example.com/pixel.png)

| a | b |
|---|---|
| 1 | 2 |`;

export function Texts() {
  return (
    <Part title="Texts and times">
      <Money dimDecimals>¥1,284.50</Money>
      <p>
        <Time at={Date.now() - 120_000} />, <Time at={Date.now() + 2 * 86_400_000} />,{' '}
        <Time at={Date.now() - 60_000} look="list" />, <CountDown until={Date.now() + 38_000} />
      </p>
      <Markdown text={NOTE} />
    </Part>
  );
}
