// `npm run handbook`: writes the generated parts of the handbook.
import { BLOCKS, writeBlock } from './blocks.ts';
import { DRIVER_BLOCKS } from './drivers.ts';

[...BLOCKS, ...DRIVER_BLOCKS].forEach(writeBlock);
