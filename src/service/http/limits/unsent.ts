// Answers that are made and wait for their readers to take them: how many bytes each workspace has waiting, and all of
// them together. It refuses nothing itself.

/** Bytes: of one workspace, and of all together. */
export type UnsentBounds = { readonly perWorkspace: number; readonly total: number };

export type UnsentLimits = {
  /** So many bytes may wait when a large request begins; its answer comes on top. */
  readonly large: UnsentBounds;
  /** Small requests are served until there is as much. */
  readonly all: UnsentBounds;
  /** For a client to take an answer; then its connection is cut. */
  readonly sendMs: number;
};

const MIB = 1024 * 1024;
/** A page of 10,000 miners comes through at 1 Mbit/s. */
export const UNSENT_LIMITS: UnsentLimits = {
  large: { perWorkspace: 32 * MIB, total: 128 * MIB },
  all: { perWorkspace: 64 * MIB, total: 256 * MIB },
  sendMs: 120_000,
};

export function createUnsent() {
  /** Of workspaces with answers that wait. */
  const bytesOf = new Map<string, number>();
  let total = 0;
  const change = (workspaceId: string, by: number) => {
    total += by;
    const bytes = (bytesOf.get(workspaceId) ?? 0) + by;
    if (bytes > 0) bytesOf.set(workspaceId, bytes);
    else bytesOf.delete(workspaceId);
  };
  return {
    /** From now until what it returns is called, once. */
    add(workspaceId: string, bytes: number): () => void {
      change(workspaceId, bytes);
      return () => change(workspaceId, -bytes);
    },
    hasRoom: (workspaceId: string, bounds: UnsentBounds): boolean =>
      total < bounds.total && (bytesOf.get(workspaceId) ?? 0) < bounds.perWorkspace,
  };
}
