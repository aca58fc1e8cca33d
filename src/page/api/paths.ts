// Addresses of v2 that the page asks.

export type FarmRef = { readonly id: string; readonly workspaceId: string };

export const SESSION = '/public-api/v2/session';
export const workspacePath = (workspaceId: string, rest: string): string =>
  `/public-api/v2/workspaces/${workspaceId}/${rest}`;
export const farmPath = ({ id, workspaceId }: FarmRef, rest: string): string =>
  workspacePath(workspaceId, `farms/${id}/${rest}`);
