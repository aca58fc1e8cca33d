// What the person may do in the workspace of the farm: its people and its audit trail belong to no single farm.
import type { Permission } from '../../model/permissions/permissions.data.ts';
import { useApp } from '../app-state.ts';
import { useFarm } from './farm-state.ts';

export function useWorkspaceMay(): (permission: Permission) => boolean {
  const { session } = useApp();
  const { ref } = useFarm();
  const state = session.value;
  const workspace =
    state.kind === 'open' ? state.session.workspaces.find(({ id }) => id === ref.workspaceId) : undefined;
  return (permission) => workspace?.permissions.includes(permission) ?? false;
}
