import { useApi } from '../../api/api.ts';
import { FactList } from '../../parts/figures/facts.tsx';
import { SkeletonLines } from '../../parts/page/skeleton.tsx';
import { Status } from '../../parts/text/status.tsx';
import { Mono } from '../../parts/text/text.tsx';
import { useTexts } from '../../texts/language.ts';
import css from './setup.module.css';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';

const LOOPBACK = /^(localhost|127\.|\[::1\])/;

/** What the server says of itself. */
export function WhereItStands() {
  const { stands: t } = useTexts({ en, zh });
  const settings = useApi('getPublicSettings', {}).data?.data;
  const nodes = useApi('listGatewayNodes', {}).data?.data;
  if (settings === undefined) return <SkeletonLines lines={6} />;
  const address = settings.base_url ?? window.location.origin;
  const isEncrypted = window.location.protocol === 'https:';
  const facts = [
    { name: t.version, value: settings.version },
    { name: t.database, value: <Status tone="ok">{t.ready}</Status> },
    { name: t.nodes, value: nodes === undefined ? '–' : String(Math.max(1, nodes.length)) },
    { name: t.address, value: <Mono>{address.replace(/^https?:\/\//, '')}</Mono> },
    {
      name: 'TLS',
      value: isEncrypted ? (
        <Status tone="ok">{t.encrypted}</Status>
      ) : (
        <Status tone={LOOPBACK.test(window.location.host) ? 'off' : 'warn'}>{t.notEncrypted}</Status>
      ),
    },
    { name: t.timeZone, value: settings.time_zone },
    { name: t.registration, value: t.registrations[settings.registration] },
  ];
  return (
    <section className={css.facts}>
      <h2>{t.title}</h2>
      <FactList facts={facts} />
    </section>
  );
}
