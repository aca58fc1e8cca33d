// The process whose power is cut: a service with those who use it, which prints what they were promised besides its
// answers. Arguments: folder, rounds.
import { writeSync } from 'node:fs';
import { runServiceCycle } from './service-cycle.ts';

const [folder = '', rounds = '1'] = process.argv.slice(2);
const say = (line: string) => void writeSync(1, `${line}\n`);
await runServiceCycle({ folder, isFirst: true, rounds: Number(rounds), say });
process.exit();
