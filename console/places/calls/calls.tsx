import { CallsPage } from './calls-page.tsx';
import { callsRoute } from './route.ts';

export function Calls() {
  const navigate = callsRoute.useNavigate();
  return (
    <CallsPage
      of="own"
      path="/calls"
      search={callsRoute.useSearch()}
      onSearch={(change, options) => navigate({ search: (now) => ({ ...now, ...change }), ...options })}
    />
  );
}
