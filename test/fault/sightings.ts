// Looks for secrets wherever a program may have left them: in texts, in files as they are, and in what lies packed in
// databases.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

export function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

const UNPACK = [
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: zstdDecompressSync },
  { magic: Buffer.from([0x1f, 0x8b, 0x08]), unpack: gunzipSync },
];

/** What lies packed from some place of the bytes on. */
function unpacked(bytes: Buffer): string[] {
  return UNPACK.flatMap(({ magic, unpack }) => {
    const at = bytes.indexOf(magic);
    if (at < 0) return [];
    try {
      return [unpack(bytes.subarray(at)).toString('latin1')];
    } catch {
      return [];
    }
  });
}

/** Every value of every table, unpacked where it is packed. */
function valuesOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables
      .flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all())
      .flatMap((row) => Object.values(row))
      .flatMap((value) =>
        value instanceof Uint8Array
          ? [Buffer.from(value).toString('latin1'), ...unpacked(Buffer.from(value))]
          : [String(value)],
      )
      .join('\n');
  } finally {
    database.close();
  }
}

/** The file as it lies there, with its pages that are no longer in use, and what is in it. */
export function textOf(path: string): string {
  const bytes = readFileSync(path);
  const isDatabase = bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3';
  return [bytes.toString('latin1'), ...unpacked(bytes), ...(isDatabase ? [valuesOf(path)] : [])].join('\n');
}

/** As a program might write it. */
const formsOf = (secret: string) => [
  ...new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    // Base64 of it, whatever stands before and behind it.
    ...[0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]).toString('base64');
      return text.slice(before === 0 ? 0 : before + 1, -4);
    }),
  ]),
];

/** `secret in place` for each that is found. */
export function sightingsOf(
  secrets: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret.length < 8) throw new Error(`${name} is no secret that could be looked for`);
    const forms = formsOf(secret);
    return Object.entries(places).flatMap(([place, text]) =>
      forms.some((form) => text.includes(form)) ? [`${name} in ${place}`] : [],
    );
  });
}
