import { misfit } from '../refusal.ts'
import { anything, flag, need, type Route, whole } from '../route.ts'
import { taskLog } from './task-log.ts'

const at = (end: string) => new RegExp(`^/nodes/(?<node>[^/]+)/${end}$`)
const updateMs = 4_000
const modify: Route['needs'] = ({ node }) => [need(`/nodes/${node}`, 'Sys.Modify')]

export const nodeRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: at('tasks/(?<upid>[^/]+)/log'),
    allowed: { start: whole, limit: whole, download: flag },
    // In Proxmox the owner of a task may read it too, but the model does not know the caller.
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')],
    run({ host, logs }, { node, upid = '' }, { start = '0', limit = '50' }) {
      const task = host.tasks().find((candidate) => candidate.upid === upid && candidate.node === node)
      if (task === undefined) throw misfit({ upid: 'no such task' })
      const lines = taskLog(
        task,
        logs.get(upid)?.find((line) => line.startsWith('ERROR: ')),
      )
      const all = (lines.length === 0 ? ['no content'] : lines).map((t, index) => ({ n: index + 1, t }))
      return limit === '0' ? all : all.slice(Number(start), Number(start) + Number(limit))
    },
  },
  {
    method: 'GET',
    pattern: at('journal'),
    allowed: { since: whole, until: whole, lastentries: whole, startcursor: anything, endcursor: anything },
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.Syslog')],
    run({ host }, { node = '' }, { since = '0', until, lastentries }) {
      const inRange = host
        .journal(node)
        .filter(({ at }) => at >= Number(since) * 1000 && (until === undefined || at <= Number(until) * 1000))
      const shown = lastentries === undefined ? inRange : inRange.slice(-Number(lastentries))
      // Proxmox puts a cursor before the first and after the last line.
      const cursor = (i: number) => `s=0f3c8a;i=${i.toString(16)};b=77aa;m=1;t=1;x=1`
      return [cursor(inRange.length - shown.length), ...shown.map(({ line }) => line), cursor(inRange.length)]
    },
  },
  {
    method: 'GET',
    pattern: at('apt/update'),
    allowed: {},
    needs: modify,
    run: ({ host }, { node = '' }) => host.facts.node(node).updates,
  },
  {
    method: 'POST',
    pattern: at('apt/update'),
    allowed: { notify: flag, quiet: flag },
    needs: modify,
    run({ host }, { node = '' }) {
      const upid = host.beginTask(node, 'aptupdate', '')
      host.later(updateMs, () => host.endTask(upid, 'OK'))
      return upid
    },
  },
  {
    method: 'GET',
    pattern: at('apt/versions'),
    allowed: {},
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')],
    run: ({ host }, { node = '' }) => host.facts.node(node).versions,
  },
  {
    method: 'POST',
    pattern: at('status'),
    allowed: { command: /^(reboot|shutdown)$/ },
    required: ['command'],
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.PowerMgmt')],
    run({ host }, { node = '' }, { command }) {
      host.nodePower(node, command === 'reboot' ? 'reboot' : 'shutdown')
    },
  },
]
