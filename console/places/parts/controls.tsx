import { useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Meter } from '../../parts/figures/meter.tsx';
import { Checkbox, Radio, SwitchRow } from '../../parts/form/choice.tsx';
import { Combobox } from '../../parts/form/combobox.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Affix, Input, NumberInput, PasswordInput, Textarea } from '../../parts/form/input.tsx';
import { Segmented } from '../../parts/form/segmented.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Slider } from '../../parts/form/slider.tsx';
import { Tabs } from '../../parts/page/tabs.tsx';
import { Dot, Pill, Status, Tag, Ticks, VendorMark } from '../../parts/text/status.tsx';
import { Mono, Row } from '../../parts/text/text.tsx';
import { Part } from './part.tsx';
import styles from './parts.module.css';

export function Buttons() {
  return (
    <Part title="Buttons">
      <Row wrap>
        <Button variant="primary" icon="plus">
          New key
        </Button>
        <Button>Export</Button>
        <Button variant="ghost">Cancel</Button>
        <Button variant="danger">Delete</Button>
        <Button variant="solid">Delete 3 keys</Button>
      </Row>
      <Row wrap>
        <Button variant="primary" size="lg">
          Large
        </Button>
        <Button variant="primary">Medium</Button>
        <Button variant="primary" size="sm">
          Small
        </Button>
        <Button size="xs">Extra small</Button>
        <Button icon="copy" aria-label="Copy" />
      </Row>
      <Row wrap>
        <Button variant="primary" pending>
          Saving
        </Button>
        <Button variant="primary" disabled>
          Disabled
        </Button>
        <LinkButton to="/parts" icon="go">
          A link
        </LinkButton>
      </Row>
    </Part>
  );
}

const MODELS = [
  'claude-sonnet-5',
  'gpt-5',
  'gpt-5-mini',
  'gemini-3-pro',
  'gemini-3-flash',
  'gpt-image-1',
].map((name) => ({ value: name, label: name, detail: '¥21.60/M' }));

export function Fields() {
  const [name, setName] = useState('report-bot');
  const [policy, setPolicy] = useState('default');
  const [model, setModel] = useState('gpt-5');
  return (
    <Part title="Fields">
      <Field label="Name" note="at most 100 characters">
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Expires" error="There is no 31 February. Try 2026-02-28.">
        <Input defaultValue="2026-02-31" />
      </Field>
      <Field label="Policy" help="What calls with it may do.">
        <Select
          value={policy}
          onChange={setPolicy}
          options={[
            { value: 'default', label: 'default: 600 requests a minute' },
            { value: 'pro', label: 'pro: 6,000 requests a minute' },
          ]}
        />
      </Field>
      <Field label="Model">
        <Combobox value={model} onChange={setModel} options={MODELS} />
      </Field>
      <Affix prefix="¥" suffix="a month" aria-label="Yuan" inputMode="decimal" defaultValue="500" />
      <Affix prefix="¥" size="lg" aria-label="Amount" inputMode="decimal" defaultValue="1,284.50" />
      <Field label="Password">
        <PasswordInput defaultValue="correct horse" autoComplete="off" />
      </Field>
      <Field label="Requests a minute">
        <NumberInput defaultValue="600" />
      </Field>
      <Field label="Instruction">
        <Textarea rows={2} defaultValue="Answer in one sentence." />
      </Field>
    </Part>
  );
}

export function Choices() {
  const [on, setOn] = useState(true);
  const [period, setPeriod] = useState('7');
  const [tab, setTab] = useState('routes');
  const [heat, setHeat] = useState(40);
  return (
    <Part title="Choices">
      <Row wrap>
        <Checkbox defaultChecked>Checkbox</Checkbox>
        <Checkbox>Off</Checkbox>
        <Checkbox mixed>Some</Checkbox>
        <Radio name="one" defaultChecked>
          Radio
        </Radio>
      </Row>
      <SwitchRow
        label="Auto-exchange"
        help="buys exactly what a call is short of"
        checked={on}
        onChange={setOn}
      />
      <SwitchRow label="API billing" />
      <div>
        <Segmented
          label="Period"
          value={period}
          onChange={setPeriod}
          options={[
            { value: '1', label: '24 hours' },
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
          ]}
        />
      </div>
      <Tabs
        label="The model"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'routes', label: 'Routes' },
          { value: 'prices', label: 'Prices' },
          { value: 'admission', label: 'Admission' },
        ]}
      >
        <Mono>{tab}</Mono>
      </Tabs>
      <Slider value={heat} onChange={setHeat} min={0} max={100} aria-label="Temperature" />
    </Part>
  );
}

const TICKS = Array.from({ length: 48 }, (_, index) =>
  index >= 37 && index < 40 ? 'bad' : index === 40 ? 'warn' : ('ok' as const),
);

export function StatusPart() {
  return (
    <Part title="Status">
      <Row wrap>
        <Pill tone="ok" dot="ok">
          200 complete
        </Pill>
        <Pill tone="warn">cut by client</Pill>
        <Pill tone="bad">42903</Pill>
        <Pill tone="info">new</Pill>
        <Pill tone="accent" dot="live">
          streaming
        </Pill>
        <Pill>disabled</Pill>
      </Row>
      <Row wrap>
        <Status tone="ok">Ready</Status>
        <Status tone="warn">Cooling</Status>
        <Status tone="bad">Suspect</Status>
        <Dot tone="live" />
        <Tag mono>logit_bias</Tag>
        <VendorMark name="openai" />
        <VendorMark name="anthropic" />
      </Row>
      <div className={styles.start}>
        <Ticks ticks={TICKS} label="One outage of three minutes" />
      </div>
    </Part>
  );
}

export function Meters() {
  const [start] = useState(Date.now);
  return (
    <Part title="Meters">
      <Meter
        label="Requests"
        window="a minute"
        used="412"
        limit="600"
        ratio={412 / 600}
        heldRatio={48 / 600}
        held="48"
        resetsAt={start + 38_000}
        windowMs={60_000}
      />
      <Meter
        label="Tokens"
        window="a minute"
        used="1.86 M"
        limit="2 M"
        ratio={0.93}
        resetsAt={start + 12_000}
        windowMs={60_000}
      />
      <Meter
        label="Images"
        window="a day"
        used="50"
        limit="50"
        ratio={1}
        resetsAt={start + 18_720_000}
        windowMs={86_400_000}
      />
    </Part>
  );
}
