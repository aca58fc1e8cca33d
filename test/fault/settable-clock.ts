// Loaded before the program (`node --import`): its wall clock differs from that of this host by as many ms as the file says, and is set when the file
// changes. The clocks that are never set go on as they are.
import { readFileSync } from 'node:fs';

const LOOK_MS = 20;
const path = process.env.PITHEAD_CLOCK_FILE ?? '';
const hostNow = Date.now.bind(Date);
const read = () => Number(readFileSync(path, 'utf8'));
let offsetMs = read();
setInterval(() => {
  offsetMs = read();
}, LOOK_MS).unref();
Date.now = () => hostNow() + offsetMs;
