// The order of severities, mildest first.
import type { Finding } from './state.ts';

export const SEVERITIES = ['info', 'minor', 'major', 'critical'] as const satisfies readonly Finding['severity'][];
