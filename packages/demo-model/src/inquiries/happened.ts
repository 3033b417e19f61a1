import { attentionIn, hoursOf, nodesIn, printed, type TaskFacts, tasksIn } from '../facts.ts'
import { offer } from '../offers.ts'
import { counted, fenced, listed, plain, quotedInline, some } from '../words.ts'
import { type Finding, gaps, type Inquiry, type Reads, read, ssh, unread } from './inquiry.ts'

const status = read('get_cluster_status')

/** Reports recent tasks of the cluster, newest first, and open problems. @param hours how far back */
export function happened(hours: number): Inquiry {
  const tasks = read('get_recent_tasks', { limit: 200 })
  return {
    find(seen): Reads | Finding {
      const missing = unread(seen, [tasks, status])
      if (missing.length > 0) return { reads: missing }
      const text = seen.text(tasks)
      if (text === undefined) return { say: `What happened I cannot tell. ${gaps(seen, [tasks])}` }
      const recent = tasksIn(text).filter(({ ago }) => hoursOf(ago) <= hours)
      const span = hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`
      const failed = recent.filter(({ isFailed }) => isFailed)
      const head =
        recent.length === 0
          ? `In the last ${span} the cluster ran no task at all.`
          : `In the last ${span} the cluster ran ${counted(recent.length, 'task')}, ${failed.length === 0 ? 'none failed' : `**${failed.length} failed**`}:`
      const now = attentionIn(seen.text(status) ?? '')
      return {
        say: [
          head,
          groups(recent)
            .map((line) => `- ${line}`)
            .join('\n'),
          now.length === 0 ? '' : `What that leaves:\n${now.map((line) => `- ${plain(line)}`).join('\n')}`,
          gaps(seen, [tasks, status]),
          failed.length === 0 ? '' : `Ask ${offer(`why did ${failed[0]?.type} fail?`)} and I look for the cause.`,
        ]
          .filter((part) => part !== '')
          .join('\n\n'),
      }
    },
  }
}

/** Summarises tasks in one line for each kind and outcome, newest first. */
export function groups(tasks: readonly TaskFacts[]): string[] {
  const byKind = new Map<string, TaskFacts[]>()
  for (const task of tasks) {
    const key = `${task.type} ${task.isRunning} ${task.isFailed ? task.reason : ''}`
    byKind.set(key, [...(byKind.get(key) ?? []), task])
  }
  return [...byKind.values()].map((same) => {
    const [newest] = same as [TaskFacts]
    const oldest = same.at(-1)?.ago
    const when = oldest === undefined || oldest === newest.ago ? `${newest.ago} ago` : `${newest.ago} to ${oldest} ago`
    const ids = [...new Set(same.flatMap(({ vmid }) => vmid ?? []))].toSorted((a, b) => a - b)
    const nodes = listed([...new Set(same.map(({ node }) => node))].map(plain))
    const of = ids.length > 0 ? ` of ${some(ids.map(String), 12)}` : ''
    const end = newest.isRunning
      ? 'still running'
      : newest.isFailed
        ? `failed: ${quotedInline(newest.reason ?? 'no reason given')}`
        : newest.end.startsWith('OK')
          ? 'OK'
          : newest.end
    return `${when}: ${taskWord(newest.type)}${of} on ${nodes}, ${end}`
  })
}

const taskWords: Record<string, string> = {
  vzdump: 'backup',
  aptupdate: 'package lists refreshed',
  startall: 'guests started with their node',
  srvreload: 'service reloaded',
  srvrestart: 'service restarted',
}
const verbs: [RegExp, string][] = [
  [/^(?:qm|vz)start$/, 'start'],
  [/^(?:qm|vz)(?:stop|shutdown)$/, 'stop'],
  [/^(?:qm|vz)(?:reboot|reset)$/, 'restart'],
  [/^(?:qm|vz)migrate$/, 'migration'],
]
const taskWord = (type: string) =>
  taskWords[type] ?? verbs.find(([pattern]) => pattern.test(type))?.[1] ?? quotedInline(type)

/** Reports a node's state, its tasks and the end of its log. */
export function happenedTo(node: string): Inquiry {
  const tasks = read('get_recent_tasks', { node, limit: 30 })
  const log = ssh(node, 'journalctl -n 12 --no-pager')
  return {
    find(seen): Reads | Finding {
      const missing = unread(seen, [status, tasks])
      if (missing.length > 0) return { reads: missing }
      const known = nodesIn(seen.text(status) ?? '').find(({ name }) => name === node)
      if (known === undefined) return { say: `How ${plain(node)} is I could not read. ${gaps(seen, [status])}` }
      const recent = groups(tasksIn(seen.text(tasks) ?? '').filter(({ ago }) => hoursOf(ago) <= 48)).slice(0, 6)
      const did = recent.length === 0 ? '' : `Its last tasks:\n${recent.map((line) => `- ${line}`).join('\n')}`
      if (known.status !== 'online')
        return {
          say: [
            `**${plain(node)} is ${known.status}**${known.lastSeen === undefined ? '' : `, last seen ${known.lastSeen}`}. Why I cannot see from here: while it is away, nothing on it answers.`,
            did,
            `Say ${offer(`wake ${node}`)} and I send it a magic packet.`,
          ]
            .filter((part) => part !== '')
            .join('\n\n'),
        }
      if (seen.of(log) === undefined) return { reads: [log] }
      const rows = printed(seen.text(log))
      return {
        say: [
          `${plain(node)} is online${known.up === undefined ? '' : `, for ${known.up}`}.`,
          did,
          rows === undefined ? gaps(seen, [log]) : `The end of its log:\n\n${fenced(rows)}`,
        ]
          .filter((part) => part !== '')
          .join('\n\n'),
      }
    },
  }
}

/** Reports why tasks of one type failed, in Proxmox's words. */
export function failedTasks(type: string, node: string | undefined): Inquiry {
  const tasks = read('get_recent_tasks', { ...(node !== undefined && { node }), limit: 100 })
  return {
    find(seen): Reads | Finding {
      const missing = unread(seen, [tasks])
      if (missing.length > 0) return { reads: missing }
      const failed = tasksIn(seen.text(tasks) ?? '').filter((task) => task.isFailed && task.type === type)
      const place = node === undefined ? '' : ` on ${plain(node)}`
      return {
        say:
          failed.length === 0
            ? `I find no failed ${quotedInline(type)} among the newest tasks${place}. ${gaps(seen, [tasks])}`.trim()
            : `${quotedInline(type)} failed ${failed.length === 1 ? 'once' : `${failed.length} times`}${place}:\n\n${groups(
                failed,
              )
                .map((line) => `- ${line}`)
                .join('\n')}\n\nThe task’s own log, on the node, says more.`,
      }
    },
  }
}
