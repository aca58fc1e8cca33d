// The recorded and simulated answers of real firmwares: the cases in the folders of the drivers, and the recordings
// that are kept beside the project.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { caseSchema, type DriverCase, readCase } from '../../src/driver/check/cases/case-file.ts';

export { asLinkWould, bytesByAsk, rawOf } from '../../src/driver/check/cases/case-file.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, '..', 'shared', 'drivers', 'recordings');

/** The recordings are kept beside the project; where they must be there, PITHEAD_REQUIRE_RECORDINGS=1 says so. */
export const hasRecordings = existsSync(join(FOLDER, 'index.json'));
export const mustHaveRecordings = process.env.PITHEAD_REQUIRE_RECORDINGS === '1';

export type Recording = DriverCase;

export const recordings: readonly Recording[] = hasRecordings
  ? z
      .object({ recordings: z.array(caseSchema) })
      .parse(JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')))
      .recordings.map(({ expect, reading, ...recording }) => ({
        ...recording,
        expect: named(expect),
        ...(reading && { reading: named(reading) }),
        folder: FOLDER,
      }))
  : [];

/** The recordings call one value by another name than our cases do. */
function named({ intakeTempC, ...rest }: Recording['expect']): Recording['expect'] {
  return intakeTempC === undefined ? rest : { ...rest, boardInletsTempC: intakeTempC };
}

const DRIVERS = join(ROOT, 'drivers');

/** The cases in `drivers/<id>/cases`: captured, or written by hand. */
export const cases: readonly Recording[] = globSync('*/cases/*/case.json', { cwd: DRIVERS })
  .toSorted()
  .map((file) => readCase(join(DRIVERS, dirname(file))));

export const bytesOf = (file: string): Buffer => readFileSync(join(FOLDER, file));
