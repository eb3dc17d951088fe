import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStore } from '../../app/store.ts';
import { Tabs } from '../../parts/page/tabs.tsx';
import { AsCode } from './lanes/as-code.tsx';
import type { Protocol } from './lanes/conversation.ts';
import { Raw } from './lanes/raw.tsx';
import { fitTo, type Offer } from './models.ts';
import { Parameters } from './parameters.tsx';
import type { SideTab } from './route.ts';
import css from './side.module.css';
import { usePlaygroundTexts } from './texts.ts';
import type { Workspace } from './workspace.ts';

export interface SideProps {
  readonly offer: Offer;
  readonly protocol: Protocol;
  readonly models: readonly string[];
  readonly workspace: Workspace;
}

export function Side({ offer, protocol, models, workspace }: SideProps) {
  const [one, two, three] = workspace.lanes.map(({ state }) => state);
  if (one === undefined || two === undefined || three === undefined) throw new Error('a lane is missing');
  const states = [useStore(one), useStore(two), useStore(three)].slice(0, models.length);
  const settings = useStore(workspace.settings);
  const draft = useStore(workspace.draft);
  const lanes = models.map((model, place) => ({
    model,
    settings: fitTo(
      settings,
      offer.text.find(({ id }) => id === model),
    ),
    turns: states[place]?.turns ?? [],
    exchange: states[place]?.exchange,
  }));
  return (
    <SideTabs
      parameters={<Parameters {...{ offer, protocol, models }} settings={workspace.settings} />}
      code={<AsCode {...{ protocol, lanes, draft }} />}
      raw={<Raw exchanges={lanes.map(({ model, exchange }) => ({ name: model, exchange }))} />}
    />
  );
}

/** What is asked, as code, and as it went over the line. */
export function SideTabs(panes: Readonly<Record<SideTab, ReactNode>>) {
  const t = usePlaygroundTexts().side;
  const { tab = 'parameters' } = useSearch({ from: '/user/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const tabs = Object.entries(t.tabs).map(([value, label]) => ({ value: value as SideTab, label }));
  return (
    <div className={css.tabs}>
      <Tabs
        label={t.label}
        value={tab}
        tabs={tabs}
        onChange={(next) => void navigate({ replace: true, search: (all) => ({ ...all, tab: next }) })}
      >
        <div className={css.pane}>{panes[tab]}</div>
      </Tabs>
    </div>
  );
}
