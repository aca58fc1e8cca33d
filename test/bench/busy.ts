// Keeps one processor busy and touches nothing: what a measure beside it shows is the machine's doing. Says once that
// it has begun; ends on SIGTERM.
import { hash } from 'node:crypto';

const bytes = Buffer.alloc(1024 * 1024, 1);
process.stdout.write('begun\n');
for (;;) hash('sha1', bytes);
