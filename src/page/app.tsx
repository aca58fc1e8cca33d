// Which screen stands at which address, and who may see it: without a session only those that begin one.

import { useEffect } from 'preact/hooks';
import { ErrorBoundary } from 'preact-iso/lazy';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { useApp, useTexts } from './app-state.ts';
import { Loading } from './parts/bits.tsx';
import { FarmFrame } from './screens/entry/farm-frame.tsx';
import { Farms } from './screens/entry/farms.tsx';
import { lazy, NewBuild } from './screens/lazy.tsx';

const Login = lazy(() => import('./screens/entry/login.tsx').then(({ Login }) => Login));
const Claim = lazy(() => import('./screens/entry/claim.tsx').then(({ Claim }) => Claim));
const Trust = lazy(() => import('./screens/entry/trust.tsx').then(({ Trust }) => Trust));

export function App() {
  return (
    <LocationProvider>
      <NewBuild />
      <ErrorBoundary>
        <Router>
          <Route path="/claim" component={Claim} />
          <Route path="/trust" component={Trust} />
          <Route path="/login" component={Login} />
          <Route path="/f/:farm/*" component={Inside} />
          <Route path="/f/:farm" component={Home} />
          <Route default component={Home} />
        </Router>
      </ErrorBoundary>
    </LocationProvider>
  );
}

function Inside() {
  const { session } = useApp();
  const { path, url, route } = useLocation();
  const texts = useTexts();
  const { kind } = session.value;
  useEffect(() => {
    if (kind === 'none') route(`/login?to=${encodeURIComponent(url)}`, true);
  }, [kind]);
  if (session.value.kind === 'unreachable') return <p class="note note-bad">{texts.common.notReached}</p>;
  if (session.value.kind !== 'open') return <Loading />;
  const [, , farmId = ''] = path.split('/');
  const farm = session.value.session.farms.find(({ id }) => id === farmId);
  if (farm === undefined) return <p class="note note-bad">{texts.common.notFound}</p>;
  return <FarmFrame key={farm.id} farm={farm} session={session.value.session} />;
}

function Home() {
  const { session } = useApp();
  const { route } = useLocation();
  const texts = useTexts();
  const state = session.value;
  const only = state.kind === 'open' && state.session.farms.length === 1 ? state.session.farms[0] : undefined;
  useEffect(() => {
    if (state.kind === 'none') route('/login', true);
    if (only !== undefined) route(`/f/${only.id}/now`, true);
  }, [state.kind, only?.id]);
  if (state.kind === 'unreachable') return <p class="note note-bad">{texts.common.notReached}</p>;
  return state.kind === 'open' && only === undefined ? <Farms farms={state.session.farms} /> : <Loading />;
}
