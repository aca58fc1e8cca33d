// `npm run drivers:table`: writes the tables of what the drivers know into the READMEs.
import { writeTables } from './drivers-table.ts';

writeTables();
