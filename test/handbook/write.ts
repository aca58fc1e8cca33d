// `npm run handbook`: writes the generated parts of the handbook.
import { hasRecordings } from '../contract/answers.ts';
import { BLOCKS, writeBlock } from './blocks.ts';
import { DRIVER_BLOCKS } from './drivers.ts';

BLOCKS.forEach(writeBlock);
if (hasRecordings) DRIVER_BLOCKS.forEach(writeBlock);
else
  process.stderr.write(
    'miners.md is left as it is: the recordings of real devices are not beside the project, and its tables would lose what only they show\n',
  );
