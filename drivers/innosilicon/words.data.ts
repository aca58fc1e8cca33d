// Words of Innosilicon for what its chips are tuned to, as our modes. Each has steps around its middle, which the page
// shows as signs.
export const TUNINGS = ['efficient', 'balanced', 'factory', 'performance'] as const;
export const MODES = { efficient: 'low', balanced: 'normal', factory: 'normal', performance: 'high' } as const;
export const STEPS = ['--', '-', '', '+', '++'] as const;
