// The logs of a batch, saved as one zip.
import { giveFile } from '../../api/save-file.ts';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { logFiles } from './log-files.ts';

type LogsProps = { readonly id: string; readonly tasks: Parameters<typeof logFiles>[0] };

export function SaveLogs({ id, tasks }: LogsProps) {
  const { minerOf } = useFarm();
  const texts = useTexts();
  const files = logFiles(tasks, minerOf);
  if (files.length === 0) return null;
  const save = async () => {
    const { packLogs } = await import('./pack-logs.ts');
    giveFile(`logs-${id.slice(-6)}.zip`, packLogs(files));
  };
  return (
    <button type="button" class="act" onClick={() => void save()}>
      {texts.task.saveLogs(files.length)}
    </button>
  );
}
