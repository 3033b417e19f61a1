import { misfit } from './refusal.ts'
import type { Route } from './route.ts'

export const taskRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/tasks\/(?<upid>[^/]+)\/status$/,
    allowed: {},
    needs: () => [],
    run({ host }, { node, upid }) {
      const task = host.tasks().find((candidate) => candidate.upid === upid && candidate.node === node)
      if (task === undefined) throw misfit({ upid: 'no such task' })
      const { startedAt, exitStatus, type, id, user } = task
      const ended = exitStatus === undefined ? { status: 'running' } : { status: 'stopped', exitstatus: exitStatus }
      return { upid, node, type, id, user, pid: 1_234, pstart: 99, starttime: Math.floor(startedAt / 1000), ...ended }
    },
  },
]
