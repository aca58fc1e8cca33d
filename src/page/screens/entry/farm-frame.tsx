// The frame of a farm: what is always on the screen (how fresh it is, what stands in the way, where one can go), and
// the screen that the address names.

import { useEffect, useMemo } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso/router';
import type { Session } from '../../../wire/api/people/session.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { createFarmState, FarmContext, type FarmOfSession, useFarm } from '../../live/farm-state.ts';
import { WaitingBanner } from '../../parts/field/waiting-list.tsx';
import { Keys } from '../../parts/keys.tsx';
import { lazy } from '../lazy.tsx';
import { Now } from '../now/now.tsx';

const Find = lazy(() => import('../daily.ts').then(({ Find }) => Find));
const MinerList = lazy(() => import('../daily.ts').then(({ MinerList }) => MinerList));
const Miner = lazy(() => import('../daily.ts').then(({ Miner }) => Miner));
const Tasks = lazy(() => import('../daily.ts').then(({ Tasks }) => Tasks));
const TaskBatch = lazy(() => import('../daily.ts').then(({ TaskBatch }) => TaskBatch));
const Scans = lazy(() => import('../daily.ts').then(({ Scans }) => Scans));
const ScanResult = lazy(() => import('../daily.ts').then(({ ScanResult }) => ScanResult));
const Locations = lazy(() => import('../places.ts').then(({ Locations }) => Locations));
const Walk = lazy(() => import('../places.ts').then(({ Walk }) => Walk));
const FarmMap = lazy(() => import('../places.ts').then(({ FarmMap }) => FarmMap));
const RackMap = lazy(() => import('../places.ts').then(({ RackMap }) => RackMap));
const Account = lazy(() => import('../desk.ts').then(({ Account }) => Account));
const More = lazy(() => import('../desk.ts').then(({ More }) => More));
const People = lazy(() => import('../desk.ts').then(({ People }) => People));
const Person = lazy(() => import('../desk.ts').then(({ Person }) => Person));
const Audit = lazy(() => import('../desk.ts').then(({ Audit }) => Audit));
const Pools = lazy(() => import('../pools/pools.tsx').then(({ Pools }) => Pools));
const Webhooks = lazy(() => import('../office.ts').then(({ Webhooks }) => Webhooks));
const ApiKeys = lazy(() => import('../office.ts').then(({ ApiKeys }) => ApiKeys));
const Settings = lazy(() => import('../office.ts').then(({ Settings }) => Settings));
const About = lazy(() => import('../office.ts').then(({ About }) => About));
const Changes = lazy(() => import('../shift.ts').then(({ Changes }) => Changes));
const Overview = lazy(() => import('../shift.ts').then(({ Overview }) => Overview));
const WalkList = lazy(() => import('../shift.ts').then(({ WalkList }) => WalkList));
const Help = lazy(() => import('../help/help.tsx').then(({ Help }) => Help));

type FrameProps = { readonly farm: FarmOfSession; readonly session: Session };

export function FarmFrame({ farm, session }: FrameProps) {
  const app = useApp();
  const state = useMemo(() => createFarmState(app, farm), [farm]);
  useEffect(() => state.start(), [state]);
  const base = `/f/${farm.id}`;
  return (
    <FarmContext.Provider value={state}>
      <Header farm={farm} session={session} />
      <Troubles />
      <WaitingBanner />
      <main class="screen" id="screen" tabIndex={-1}>
        <Router>
          <Route path="/now" component={Now} />
          <Route path="/find" component={Find} />
          <Route path="/miners" component={MinerList} />
          <Route path="/miners/:id" component={Miner} />
          <Route path="/tasks" component={Tasks} />
          <Route path="/tasks/:id" component={TaskBatch} />
          <Route path="/scan" component={Scans} />
          <Route path="/scan/:id" component={ScanResult} />
          <Route path="/locations" component={Locations} />
          <Route path="/walk/:rack" component={Walk} />
          <Route path="/map" component={FarmMap} />
          <Route path="/map/:rack" component={RackMap} />
          <Route path="/account" component={Account} />
          <Route path="/more" component={More} />
          <Route path="/people" component={People} />
          <Route path="/people/:id" component={Person} />
          <Route path="/audit" component={Audit} />
          <Route path="/pools" component={Pools} />
          <Route path="/webhooks" component={Webhooks} />
          <Route path="/keys" component={ApiKeys} />
          <Route path="/settings" component={Settings} />
          <Route path="/about" component={About} />
          <Route path="/changes" component={Changes} />
          <Route path="/overview" component={Overview} />
          <Route path="/walk-list" component={WalkList} />
          <Route path="/help/:topic?" component={Help} />
          <Route default component={NotFound} />
        </Router>
      </main>
      <Navigation base={base} />
      <Keys base={base} />
    </FarmContext.Provider>
  );
}

const NotFound = () => <p class="note">{useTexts().common.notFound}</p>;

function Header({ farm, session }: FrameProps) {
  const { freshness } = useFarm();
  const { format, tickMs } = useApp();
  const texts = useTexts();
  const fresh = freshness.value;
  const words =
    fresh.kind === 'lost'
      ? texts.live.lost(format.value.duration(tickMs.value - fresh.sinceMs))
      : texts.live[fresh.kind];
  const base = `/f/${farm.id}`;
  return (
    <header class="top">
      <a href="/" class="farm-name">
        {farm.name ?? 'Pithead'}
      </a>
      <span class={`live live-${fresh.kind}`} role="status">
        <span aria-hidden="true">{fresh.kind === 'live' || fresh.kind === 'asking' ? '●' : '○'}</span> {words}
      </span>
      <a href={`${base}/more`} class="person">
        {session.person.name}
      </a>
    </header>
  );
}

/** Agents have no names in v2. */
const shortId = (id: string) => id.slice(-6);

/** What makes everything below less true, once and not per miner. */
function Troubles() {
  const { agents } = useFarm();
  const { format, nowMs } = useApp();
  const texts = useTexts();
  const silent = agents.list.value.filter(({ status }) => status !== 'online');
  const full = agents.list.value.filter(({ storage_fault }) => storage_fault !== null);
  return (
    <div class="banners">
      {silent.map(({ id, last_online_at }) => (
        <p key={id} class="note note-bad">
          {texts.live.agentSilent(
            shortId(id),
            last_online_at === null ? '–' : format.value.duration(nowMs.value - Date.parse(last_online_at)),
          )}
        </p>
      ))}
      {full.map(({ id, storage_fault }) => (
        <p key={id} class="note note-bad">
          {texts.live.storageFault(shortId(id))}: {storage_fault?.reason}
        </p>
      ))}
    </div>
  );
}

function Navigation({ base }: { base: string }) {
  const texts = useTexts();
  const { path } = useLocation();
  const places = [
    ['now', texts.nav.now, '◉'],
    ['find', texts.nav.find, '⌕'],
    ['miners', texts.nav.miners, '☰'],
    ['tasks', texts.nav.tasks, '✓'],
    ['scan', texts.nav.scan, '⊕'],
  ] as const;
  const isHere = (place: string) => path.startsWith(`${base}/${place}`);
  return (
    <nav class="bottom" aria-label={texts.common.menu}>
      {places.map(([place, name, shape]) => (
        <a key={place} href={`${base}/${place}`} aria-current={isHere(place) ? 'page' : undefined}>
          <span aria-hidden="true">{shape}</span>
          {name}
        </a>
      ))}
    </nav>
  );
}
