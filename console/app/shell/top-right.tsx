import { useApi } from '../../api/api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Dot } from '../../parts/text/status.tsx';
import { useTexts } from '../../texts/language.ts';
import { Appearance } from './appearance.tsx';
import css from './shell.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

/** The state of the nodes, the language and the theme. */
export function TopRight() {
  return (
    <div className={css.right}>
      <NodeState />
      <Appearance />
    </div>
  );
}

function NodeState() {
  const t = useTexts({ en, zh });
  const nodes = useApi('listGatewayNodes', {}, { refetchInterval: 60_000 }).data?.data;
  const down = nodes?.filter(({ alive }) => !alive).length ?? 0;
  // It has its place before its state is known, so that nothing moves.
  const look = classes(css.wideOnly, nodes === undefined && css.unknown);
  return (
    <LinkButton variant="ghost" size="sm" className={look} to="/status">
      <Dot tone={down === 0 ? 'ok' : 'bad'} />
      {down === 0 ? t.nodesNormal : t.nodesDown(down)}
    </LinkButton>
  );
}
