// `npm run bench -- <name>`: measures a hot path beside something else in the same run and prints the ratio, or what a
// process takes of its host. It asserts nothing, but `board`, `clients`, `neighbour` and `page` do: see there.
import { benchBoard } from './board.ts';
import { benchClients } from './clients.ts';
import { benchFilters } from './filters.ts';
import { benchFleet } from './fleet.ts';
import { benchIngest } from './ingest.ts';
import { benchList } from './list.ts';
import { benchMemory } from './memory.ts';
import { benchNeighbour } from './neighbour.ts';
import { benchPace } from './pace.ts';
import { benchPage } from './page.ts';
import { benchPoll } from './poll.ts';
import { benchRequests } from './requests.ts';
import { benchStart } from './start.ts';
import { benchWatch } from './watch.ts';

const BENCHES = {
  board: benchBoard,
  clients: benchClients,
  filters: benchFilters,
  fleet: benchFleet,
  ingest: benchIngest,
  list: benchList,
  memory: benchMemory,
  pace: benchPace,
  page: benchPage,
  neighbour: benchNeighbour,
  poll: benchPoll,
  requests: benchRequests,
  start: benchStart,
  watch: benchWatch,
} as const;

const isBench = (name: string | undefined): name is keyof typeof BENCHES => name !== undefined && name in BENCHES;

const [name, ...options] = process.argv.slice(2);
if (!isBench(name)) {
  process.stderr.write(`usage: npm run bench -- <${Object.keys(BENCHES).join('|')}> [--miners N] [--seconds S]\n`);
  process.exitCode = 2;
} else {
  await BENCHES[name](options);
}
