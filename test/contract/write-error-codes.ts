// `npm run errors:table`: writes the tables of error codes into the handbook.
import { writeErrorTables } from './error-codes.ts';

writeErrorTables();
