import { CallsPage } from '../../calls/calls-page.tsx';
import { operatorCallsRoute } from './route.ts';

export function AllCalls() {
  const navigate = operatorCallsRoute.useNavigate();
  return (
    <CallsPage
      of="all"
      path="/operator/calls"
      search={operatorCallsRoute.useSearch()}
      onSearch={(change, options) => navigate({ search: (now) => ({ ...now, ...change }), ...options })}
    />
  );
}
