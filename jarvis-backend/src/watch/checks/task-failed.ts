import { plainName } from '../../homelab/format.ts'
import type { Check } from '../check.ts'
import { seen, when } from '../measure.ts'

/** For the record only. Nobody is told, because the checks of backups, replication and guests report the consequences. */
export const taskFailed: Check = {
  id: 'task-failed',
  title: 'Failed tasks',
  reads: 'GET /cluster/tasks',
  limit: () => 'Any among the newest tasks.',
  pace: 'state',
  from: ['tasks'],
  forMs: 0,
  look: ({ state }) =>
    seen(
      [...new Set(state.tasks.map(({ type }) => type))].map((type) => {
        const count = state.tasks.filter((task) => task.type === type && task.status === 'failed').length
        return {
          object: { id: `task/${type}`, name: type },
          level: when(count > 0, 'info'),
          words: `${count} failed`,
          value: count,
          sentence: `Among the newest tasks ${count} ${plainName(type)} failed.`,
        }
      }),
    ),
}
