// `npm run outside`: prints what users, integrators and monitors of the program see: the help of every command, the
// OpenAPI document, the settings of the configuration file, the names of the metrics. Compare two prints to see what a
// change does to them. It judges nothing.
import { describeOutside } from './outside.ts';

for (const { title, text } of await describeOutside()) process.stdout.write(`==== ${title} ====\n${text}\n\n`);
