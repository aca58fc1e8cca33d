// `npm run drivers:table`: writes the tables of what the drivers know into the READMEs.
import { hasRecordings } from './answers.ts';
import { writeTables } from './drivers-table.ts';

if (hasRecordings) writeTables();
else {
  process.stderr.write(
    'not written: the recordings of real devices are not beside the project, and the tables would lose what only they show\n',
  );
  process.exitCode = 1;
}
