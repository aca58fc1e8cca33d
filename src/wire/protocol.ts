// The agreement between agent and service: version, doors, limits. The messages are in frames.ts, what reports carry is in records.ts.

/** Raised when a message changes so that an older reader would misread it. Readers keep or ignore fields they do not know. */
export const PROTOCOL_VERSION = 1;

/** HTTP: exchange of a one-time code for an agent identity. */
export const ENROL_PATH = '/agent/v1/enrol';
/** WebSocket: `Authorization: Bearer <agent id>.<token>`. */
export const UPLINK_PATH = '/agent/v1/uplink';

/** Largest WebSocket message in either direction, bytes. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Largest slice before compression, bytes. */
export const MAX_SLICE_BYTES = 8 * 1024 * 1024;
/** Most records in one slice. */
export const MAX_SLICE_RECORDS = 500;
/** Longest params of a task, as characters of their JSON. */
export const MAX_PARAMS_LENGTH = 16 * 1024;
/** Both sides ping this often and give up on a silent peer after PEER_SILENCE_MS. */
export const PING_INTERVAL_MS = 15_000;
export const PEER_SILENCE_MS = 40_000;
