// How an agent shows with each connection that it is the one that was enrolled: the answer to the upgrade carries a challenge, the hello its signature by
// the key that the agent made at its enrolment and that never leaves its host. A token alone, overheard or copied, opens nothing.

/** Of the answer to the upgrade; new with each connection, base64url. */
export const CHALLENGE_HEADER = 'x-pithead-challenge';

/** Goes before what is signed, so that no signature can be moved to another purpose. */
const PURPOSE = 'pithead agent\n';

/** What the Ed25519 key of the agent signs; the id is another one with each service, so that none can pass a proof on. */
export const proofBytes = (agentId: string, challenge: string): Buffer =>
  Buffer.from(`${PURPOSE}${agentId}\n${challenge}`);
