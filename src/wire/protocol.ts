// The protocol between agent and service: version, paths, limits, and how an agent proves its identity. The messages
// are in frames.ts, the records of reports in records.ts.

/** Raised when an older reader would misread a message. Readers ignore fields they do not know. */
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
/**
 * Longest record of a slice, as characters of its JSON: far more than any device has to say. That of a task may have
 * the log of a miner in it.
 */
export const MAX_RECORD_LENGTH = 64 * 1024;
export const MAX_TASK_RECORD_LENGTH = 512 * 1024;
/** Longest params of a task, as characters of their JSON. */
export const MAX_PARAMS_LENGTH = 16 * 1024;
/** Both sides ping this often and give up on a silent peer after PEER_SILENCE_MS. */
export const PING_INTERVAL_MS = 15_000;
export const PEER_SILENCE_MS = 40_000;
/** Close code of a service that restarts: its agents come back spread over time. */
export const CLOSE_RESTART = 1012;

/** Header of the answer to the upgrade: the challenge that the hello signs, base64url. New with each connection. */
export const CHALLENGE_HEADER = 'x-pithead-challenge';

/** Prefix of the signed bytes, so that no signature can be moved to another purpose. */
const PROOF_PURPOSE = 'pithead agent\n';

/**
 * What an agent signs with the key that it made at its enrolment. The key never leaves the host, so a token alone,
 * overheard or copied, is worth nothing. The id differs from service to service, so that no service can pass a proof
 * on.
 */
export const proofBytes = (agentId: string, challenge: string): Buffer =>
  Buffer.from(`${PROOF_PURPOSE}${agentId}\n${challenge}`);
