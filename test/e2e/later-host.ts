// Loaded before the program (`node --import`): it runs on a host on which so much time has passed, by all its clocks.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const laterMs = Number(process.env.PITHEAD_LATER_MS ?? 0);
const hostNow = Date.now.bind(Date);
Date.now = () => hostNow() + laterMs;
/** It has been up for longer than any test sets it back. */
const LONG_S = 7 * 86_400;
const hostUptime = os.uptime.bind(os);
os.uptime = () => hostUptime() + LONG_S + laterMs / 1_000;
syncBuiltinESMExports();
