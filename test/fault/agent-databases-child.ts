// The process whose power is cut: writes what an agent keeps beside its outbox and prints what was promised. Arguments:
// folder, rounds.
import { writeSync } from 'node:fs';
import { newSigner } from '../unit/agent/uplink/signatures/signed.ts';
import { runAgentCycle } from './agent-cycle.ts';

const [folder = '', rounds = '1'] = process.argv.slice(2);
const say = (line: string) => void writeSync(1, `${line}\n`);
const isOpened = await runAgentCycle({ folder, rounds: Number(rounds), signer: newSigner(), say });
if (!isOpened) process.exitCode = 75;
