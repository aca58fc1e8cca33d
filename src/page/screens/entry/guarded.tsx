// A screen that a role may not see: opened by its address it says so, and asks the service nothing.
import type { FunctionComponent } from 'preact';
import type { Permission } from '../../../model/permissions/permissions.data.ts';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { useWorkspaceMay } from '../../live/workspace-may.ts';

type May = (permission: Permission) => boolean;

/** `useMay` = where the permission counts. */
const guardedBy =
  (useMay: () => May) =>
  (permission: Permission, Screen: FunctionComponent): FunctionComponent =>
    function Guarded() {
      const may = useMay();
      const texts = useTexts();
      return may(permission) ? <Screen /> : <p class="note note-bad">{texts.common.forbidden}</p>;
    };

/** Of the workspace. */
export const guarded = guardedBy(useWorkspaceMay);
export const guardedInFarm = guardedBy(() => useFarm().may);
