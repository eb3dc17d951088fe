import { createStore, type Store } from '../../app/store.ts';
import { forgetKey } from './gateway.ts';
import { DEFAULT_IMAGE_SETTINGS, ImageFeed, type ImageRun, type ImageSettings } from './images/image-feed.ts';
import { type Attachment, DEFAULT_SETTINGS, type Settings, type Turn } from './lanes/conversation.ts';
import { Lane } from './lanes/lane.ts';

export const LANES_MAX = 3;
const SAVE_MS = 400;
const KEPT = 'tollgate.playground.';

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const NO_DRAFT: Draft = { text: '', attachments: [] };

/** What an account does in this tab. A reload keeps it, without pictures and files. */
export interface Workspace {
  readonly owner: string;
  readonly lanes: readonly Lane[];
  readonly settings: Store<Settings>;
  readonly draft: Store<Draft>;
  readonly images: ImageFeed;
  readonly imageSettings: Store<ImageSettings>;
  readonly imageDraft: Store<Draft>;
}

interface Kept {
  readonly turns: readonly (readonly Turn[])[];
  readonly settings: Settings;
  readonly text: string;
  readonly runs: readonly ImageRun[];
  readonly imageSettings: ImageSettings;
  readonly imageText: string;
}

let current: Workspace | undefined;

/** Of the account that is signed in: another one in the same tab sees nothing of it. */
export function workspaceOf(owner: string): Workspace {
  if (current?.owner === owner) return current;
  for (const lane of current?.lanes ?? []) lane.clear();
  forgetKey();
  current = openWorkspace(owner);
  return current;
}

function openWorkspace(owner: string): Workspace {
  const kept = read(owner);
  const turns = Array.from({ length: LANES_MAX }, (_, lane) => kept.turns?.[lane] ?? []);
  const workspace: Workspace = {
    owner,
    lanes: turns.map((each) => new Lane(each.map(restored))),
    settings: createStore({ ...DEFAULT_SETTINGS, ...kept.settings }),
    draft: createStore({ ...NO_DRAFT, text: kept.text ?? '' }),
    images: new ImageFeed(kept.runs ?? []),
    imageSettings: createStore({ ...DEFAULT_IMAGE_SETTINGS, ...kept.imageSettings }),
    imageDraft: createStore({ ...NO_DRAFT, text: kept.imageText ?? '' }),
  };
  keep(workspace);
  return workspace;
}

/** What ran when the page went away does not run any more. */
function restored(turn: Turn): Turn {
  return turn.role === 'answer' && turn.state === 'running' ? { ...turn, state: 'stopped' } : turn;
}

function read(owner: string): Partial<Kept> {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT + owner) ?? '{}') as Partial<Kept>;
  } catch {
    return {};
  }
}

function keep(workspace: Workspace): void {
  let timer: number | undefined;
  const save = (): void => {
    window.clearTimeout(timer);
    timer = undefined;
    write(workspace);
  };
  const changed = (): void => {
    timer ??= window.setTimeout(save, SAVE_MS);
  };
  const { lanes, settings, draft, images, imageSettings, imageDraft } = workspace;
  const stores = [
    ...lanes.map(({ state }) => state),
    settings,
    draft,
    images.runs,
    imageSettings,
    imageDraft,
  ];
  for (const store of stores) store.subscribe(changed);
  window.addEventListener('pagehide', () => {
    if (timer !== undefined) save();
  });
}

function write(workspace: Workspace): void {
  const kept: Kept = {
    turns: workspace.lanes.map(({ state }) => state.read().turns.map(withoutFiles)),
    settings: workspace.settings.read(),
    text: workspace.draft.read().text,
    runs: workspace.images.runs.read().map((run) => ({ ...run, pictures: [] })),
    imageSettings: workspace.imageSettings.read(),
    imageText: workspace.imageDraft.read().text,
  };
  try {
    sessionStorage.setItem(KEPT + workspace.owner, JSON.stringify(kept));
  } catch {
    // The storage is full: what was kept before stays.
  }
}

function withoutFiles(turn: Turn): Turn {
  if (turn.role === 'user') {
    return { ...turn, attachments: turn.attachments.map((file) => ({ ...file, data: '' })) };
  }
  const parts = turn.parts.map((part) => (part.kind === 'picture' ? { ...part, data: '' } : part));
  return { ...turn, parts };
}
