// The table of tasks of `interface.md`, from the kinds of tasks in the source.
import { EXECUTION_TASK_NAMES } from '../../src/model/task.ts';
import { SAVED_POOLS_PERMISSION, TASK_KINDS } from '../../src/model/tasks/task-kinds.data.ts';
import { table } from './table.ts';

export const tasksTable = (): string =>
  table(
    ['task', 'permission', 'about', 'switch on site, default', 'ability of the driver', 'class', 'command'],
    EXECUTION_TASK_NAMES.map((name) => {
      const { permission, allow, isAllowed, ability, effect, command } = TASK_KINDS[name];
      return [
        `\`${name}\``,
        `\`${permission}\`${name === 'miner.pool.update' ? `; saved sets: \`${SAVED_POOLS_PERMISSION}\`` : ''}`,
        name.startsWith('agent.') ? 'agents' : 'miners',
        allow === null ? '' : `\`tasks.allow.${allow}\`, ${isAllowed}`,
        ability ?? '',
        effect,
        command === null
          ? ''
          : command
              .split(', ')
              .map((words) => `\`pithead ${words}\``)
              .join(', '),
      ];
    }),
  );
