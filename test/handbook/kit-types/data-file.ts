// The file of the program that holds the types of the kit: the single binary has no other file beside it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../blocks.ts';
import { bundledKitTypes } from './bundle.ts';

const PATH = join(ROOT, 'src', 'driver', 'load', 'kit-types.data.ts');

const HEAD = `// The types of the kit as the compiler writes them, for editors. \`npm run handbook\` writes this file; a test holds it
// to the kit.
`;

function dataFile(): string {
  const text = bundledKitTypes().replaceAll(/[`\\]|\$\{/g, (found) => `\\${found}`);
  return `${HEAD}\nexport const KIT_TYPES = \`${text}\`;\n`;
}

export const areKitTypesCurrent = (): boolean => readFileSync(PATH, 'utf8') === dataFile();

export const writeKitTypesData = (): void => writeFileSync(PATH, dataFile());
