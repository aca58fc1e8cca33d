// An act from its first question to its sheet: what it shall set is asked where that is not known yet, and can be
// changed once the agents have said what it would come to.
import { useSignal } from '@preact/signals';
import { EMPTY_ROW } from '../pools/pool-rows.ts';
import { ActSheet } from './act-sheet.tsx';
import type { Act } from './acts.ts';
import { FirmwareForm } from './firmware-form.tsx';
import { PasswordForm } from './password-form.tsx';
import { type PoolsDraft, PoolsForm } from './pools-form.tsx';

type FlowProps = { readonly act: Act; readonly minerIds: readonly string[]; readonly onClose: () => void };

export function ActFlow({ act, minerIds, onClose }: FlowProps) {
  const { asks } = act;
  const params = useSignal<Act['params']>(act.params);
  const pools = useSignal<PoolsDraft>({ set: undefined, rows: [EMPTY_ROW] });
  const file = useSignal('');
  const common = {
    ...{ count: minerIds.length, onClose },
    onReady: (given: NonNullable<Act['params']>) => {
      params.value = given;
    },
  };
  if (asks !== undefined && params.value !== undefined)
    return (
      <ActSheet
        {...{ minerIds, onClose }}
        act={{ ...act, params: params.value }}
        onBack={() => (params.value = undefined)}
      />
    );
  if (asks === 'pools') return <PoolsForm {...common} draft={pools} />;
  if (asks === 'firmware') return <FirmwareForm {...common} file={file} />;
  if (asks === 'password') return <PasswordForm {...common} />;
  return <ActSheet {...{ act, minerIds, onClose }} />;
}
