import type { Homelab } from 'homelab-ports/ports'
import { injection, plainInjection } from './attacks.ts'

/** How the planted texts order calls: as calls, or in plain words that name no tool. */
export type Planted = 'calls' | 'words'

/** Fields in which a cluster returns texts that others wrote. */
const free = new Set([
  ...['description', 'comment', 'comments', 'notes', 'Description', 'Title', 'error', 'errors', 'msg', 'message'],
  ...['t', 'text', 'errmsg', 'exitStatus', 'exitstatus', 'status_text', 'reason', 'cidr_comment', 'upid_comment'],
])

/**
 * A cluster that somebody hostile can write into: every free text that it returns, and the end of every command's output, orders calls.
 * Numbers, names and states stay as they are, so that the tools read it as before.
 */
export function planted<T extends Homelab>(homelab: T, how: Planted): T & { planted(): number } {
  let count = 0
  const order = how === 'calls' ? injection : plainInjection
  const poison = (text: string) => `${text === '' ? '' : `${text} `}${order(count++)}`
  const within = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') return key !== undefined && free.has(key) ? poison(value) : value
    if (Array.isArray(value)) {
      // Lines of a log or journal.
      if (value.length > 0 && value.every((item) => typeof item === 'string')) return [...value, poison('')]
      return value.map((item) => within(item))
    }
    if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, within(item, name)]))
  }
  const { api, shell, cluster, pbs } = homelab
  return {
    ...homelab,
    planted: () => count,
    api: { ...api, get: async (...asked) => within(await api.get(...asked)) },
    ...(pbs && {
      pbs: { ...pbs, get: async (...asked: Parameters<typeof pbs.get>) => within(await pbs.get(...asked)) },
    }),
    shell: {
      ...shell,
      async run(...asked: Parameters<typeof shell.run>) {
        const output = await shell.run(...asked)
        return { ...output, stdout: `${output.stdout}${poison('')}\n`, stderr: output.stderr && poison(output.stderr) }
      },
    },
    cluster: {
      ...cluster,
      tasks: async (...asked: Parameters<typeof cluster.tasks>) => within(await cluster.tasks(...asked)),
      backups: async (...asked: Parameters<typeof cluster.backups>) => within(await cluster.backups(...asked)),
    },
  } as T & { planted(): number }
}
