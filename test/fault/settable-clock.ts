// Loaded before the program (`node --import`): its wall clock differs from that of this host by as many ms as the file
// says, and is set when the file changes. The clocks that are never set go on as they are.
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const LOOK_MS = 20;
const path = process.env.PITHEAD_CLOCK_FILE ?? '';
const hostNow = Date.now.bind(Date);
const read = () => Number(readFileSync(path, 'utf8'));
let offsetMs = read();
setInterval(() => {
  offsetMs = read();
}, LOOK_MS).unref();
Date.now = () => hostNow() + offsetMs;
// A host that has been up for long has its time.
const DAY_S = 86_400;
const hostUptime = os.uptime.bind(os);
os.uptime = () => hostUptime() + DAY_S;
syncBuiltinESMExports();
