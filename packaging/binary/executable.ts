// One executable from the bundle and a base, in pkg's plain single-executable mode, with V8 options. pkg finds the base
// in a cache that is filled here in pkg's own layout, so that it fetches nothing.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { HEAP_FLAGS } from '../../src/base/platform/heap-flags.ts';
import { VIEWER_ASSETS, VIEWER_FILES, VIEWER_PACKAGE } from '../../src/service/http/docs/viewer.ts';
import { PAGE_ASSET } from '../../src/service/http/page/assets.ts';
import { WORKER_BUNDLE } from '../../src/service/http/pages/page-thread.ts';
import { PARTS } from './parts.ts';
import { NODE_VERSION, type Target } from './targets.ts';

const PKG_TIMEOUT_MS = 300_000;

const HANDBOOK = join(import.meta.dirname, '..', 'handbook');

/** By name, as the program asks for them; the same order in each build. */
const assets = (root: string, bundle: string) =>
  Object.fromEntries([
    ...readdirSync(HANDBOOK)
      .filter((file) => file.endsWith('.md'))
      .toSorted()
      .map((file) => [`handbook/${file}`, join(HANDBOOK, file)]),
    ...VIEWER_FILES.map((file) => [VIEWER_ASSETS + file, join(root, VIEWER_PACKAGE, file)]),
    [WORKER_BUNDLE, join(dirname(bundle), WORKER_BUNDLE)],
    [PAGE_ASSET, join(dirname(bundle), PAGE_ASSET)],
    ...readdirSync(join(dirname(bundle), PARTS))
      .toSorted()
      .map((file) => [`${PARTS}/${file}`, join(dirname(bundle), PARTS, file)]),
  ]);

/**
 * Small steps from the first moment, not only once something runs for long. What `NODE_OPTIONS` says comes on top.
 */
const SEA_CONFIG = {
  execArgv: HEAP_FLAGS,
  execArgvExtension: 'env',
};

/**
 * The command line of pkg takes no V8 options in this mode; the function behind it does. Arguments: bundle, target,
 * options.
 */
const PKG_CALL = `
const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js');
const [bundle, target, seaConfig] = process.argv.slice(1);
sea(bundle, { targets: [JSON.parse(target)], seaConfig: JSON.parse(seaConfig) }).catch((error) => {
  process.stderr.write(String(error) + '\\n');
  process.exitCode = 1;
});`;

export function makeExecutable(
  root: string,
  folder: string,
  target: Target,
  base: string,
  bundle: string,
  output: string,
  /** Files to put into it, by name. */
  content: Readonly<Record<string, string>> = assets(root, bundle),
): void {
  fillCache(join(folder, '.pkg-cache', 'sea'), target, base);
  const [platform, arch] = target.name.split('-');
  const pkgTarget = { nodeRange: `node${NODE_VERSION}`, platform, arch, output };
  const temporary = mkdtempSync(join(tmpdir(), 'pithead-sea-'));
  try {
    copyFileSync(bundle, join(temporary, basename(bundle)));
    // The executable holds the path of its source as it is written here, so this path must not name the place of the
    // build. pkg calls the maker in a folder below this one.
    const config = { ...SEA_CONFIG, assets: content, main: `../${basename(bundle)}` };
    execFileSync(process.execPath, ['-e', PKG_CALL, bundle, JSON.stringify(pkgTarget), JSON.stringify(config)], {
      // Away from the project: a package.json nearby would put pkg into another mode.
      cwd: folder,
      env: {
        ...process.env,
        ...{ NODE_PATH: join(root, 'node_modules'), HOME: folder, USERPROFILE: folder },
        ...{ TMPDIR: temporary, TMP: temporary, TEMP: temporary },
      },
      timeout: PKG_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * The layout is internal to pkg, so the version of pkg is pinned. The `.ok` files say that a download was checked;
 * bases.ts did that.
 */
function fillCache(cache: string, target: Target, base: string): void {
  mkdirSync(cache, { recursive: true });
  const name = `node-v${NODE_VERSION}-${target.name}`;
  const archive = join(cache, `${name}.${target.suffix === '.exe' ? 'zip' : 'tar.gz'}`);
  const binary = target.suffix === '.exe' ? join(cache, `${name}.exe`) : join(cache, name, 'bin', 'node');
  mkdirSync(join(binary, '..'), { recursive: true });
  copyFileSync(base, binary);
  for (const empty of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(empty, '');
}
