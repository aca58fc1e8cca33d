// `npm run handbook`: writes what is generated: parts of the handbook, and the types of the kit.
import { BLOCKS, writeBlock } from './blocks.ts';
import { DRIVER_BLOCKS } from './drivers.ts';
import { writeKitTypesData } from './kit-types/data-file.ts';

[...BLOCKS, ...DRIVER_BLOCKS].forEach(writeBlock);
writeKitTypesData();
