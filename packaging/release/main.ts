// `npm run release:sign -- <command>`: keys and signatures of releases. The root key belongs on a machine without a
// network; only `set` needs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { keyName, keySetSchema, pinsSchema, signaturesSchema } from '../../src/update/trust/trust.ts';
import { newKey, publicHalf, type SignedSet, signSet, writeBundle } from './sign.ts';

const USAGE = `npm run release:sign -- <command>

  key    --out root.pem                      a new key, root or signing; its public half goes to root.pem.pub
  pins   --root root.pem.pub … --out f.json  what a build believes: build:binary -- --update-root f.json   [--min-sequence n]
  set    --root root.pem … --key signing.pem.pub … --sequence n --expires 2031-01-01 --out set.json
         the signing keys that are good from now on, and no others; several roots while one takes over from another
  bundle --binary pithead-linux-x64 --version 1.2.0 --target linux-x64 --set set.json --key signing.pem --out f.bundle
         [--not-before date] [--expires date]
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    root: { type: 'string', multiple: true },
    key: { type: 'string', multiple: true },
    sequence: { type: 'string' },
    'min-sequence': { type: 'string' },
    expires: { type: 'string' },
    'not-before': { type: 'string' },
    binary: { type: 'string' },
    version: { type: 'string' },
    target: { type: 'string' },
    set: { type: 'string' },
  },
});

class Usage extends Error {}
const needed = (name: 'out' | 'sequence' | 'expires' | 'binary' | 'version' | 'target' | 'set'): string => {
  const value = values[name];
  if (value === undefined) throw new Usage(`--${name} is missing`);
  return value;
};
const several = (name: 'root' | 'key'): string[] => {
  const paths = values[name] ?? [];
  if (paths.length === 0) throw new Usage(`--${name} is missing`);
  return paths.map((path) => readFileSync(path, 'utf8').trim());
};
const instant = (text: string) => new Date(text).toISOString();
const say = (text: string) => void process.stdout.write(`${text}\n`);

const signedSetSchema = signaturesSchema.pick({ set: true, rootSignatures: true });
function readSet(path: string): SignedSet {
  return signedSetSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

async function run(command: string | undefined): Promise<void> {
  switch (command) {
    case 'key': {
      const [pem, out] = [newKey(), needed('out')];
      writeFileSync(out, pem, { mode: 0o600, flag: 'wx' });
      writeFileSync(`${out}.pub`, `${publicHalf(pem)}\n`);
      return say(`${keyName(publicHalf(pem))} ${out}`);
    }
    case 'pins': {
      const pins = pinsSchema.parse({ roots: several('root'), minSequence: Number(values['min-sequence'] ?? 0) });
      writeFileSync(needed('out'), `${JSON.stringify(pins, null, 2)}\n`);
      return say(`roots ${pins.roots.map(keyName).join(', ')}`);
    }
    case 'set': {
      const about = { sequence: Number(needed('sequence')), expires: instant(needed('expires')), keys: several('key') };
      writeFileSync(needed('out'), `${JSON.stringify(signSet(about, several('root')), null, 2)}\n`);
      return say(`set ${about.sequence}, until ${about.expires}: ${about.keys.map(keyName).join(', ')}`);
    }
    case 'bundle': {
      const [key = ''] = several('key');
      const { expires, 'not-before': notBefore } = values;
      const about = {
        ...{ name: 'pithead', version: needed('version'), target: needed('target') },
        ...(notBefore === undefined ? {} : { notBefore: instant(notBefore) }),
        ...(expires === undefined ? {} : { expires: instant(expires) }),
      };
      const set = readSet(needed('set'));
      const { keys } = keySetSchema.parse(JSON.parse(set.set));
      if (!keys.includes(publicHalf(key))) throw new Usage('--key is not in the set');
      const manifest = await writeBundle(needed('binary'), needed('out'), about, set, key);
      return say(`${manifest.sha256}  ${manifest.version} ${manifest.target}, ${manifest.size} bytes`);
    }
    default:
      throw new Usage(`${command ?? 'no command'}: accepted are key, pins, set, bundle`);
  }
}

try {
  await run(positionals[0]);
} catch (error) {
  if (!(error instanceof Usage)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
