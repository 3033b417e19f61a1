/** Facts that are read from the tools' texts, line by line. A figure that a line lacks is undefined, never 0. */

export type NodeFacts = {
  name: string
  status: string
  cpu: number | undefined
  load: number | undefined
  celsius: number | undefined
  up: string | undefined
  lastSeen: string | undefined
}
export type GuestFacts = {
  vmid: number
  name: string
  type: string
  status: string
  node: string
  cpu: number | undefined
  cores: number | undefined
  ram: string | undefined
  ramGib: number | undefined
  ramPercent: number | undefined
  diskPercent: number | undefined
  up: string | undefined
  backup: string | undefined
}
export type StorageFacts = {
  name: string
  type: string
  place: string
  isReachable: boolean
  used: string
  total: string
  percent: number
}
export type TaskFacts = {
  ago: string
  node: string
  type: string
  vmid: number | undefined
  isFailed: boolean
  isRunning: boolean
  end: string
  reason: string | undefined
}
export type BackupFacts = {
  vmid: number
  name: string
  /** Age of the newest backup, such as `31 h`; undefined: no backup is known. */
  age: string | undefined
  /** The storage of that backup; undefined: it cannot be read now. */
  storage: string | undefined
  /** True: the guest is known to have no backup. False: it has one, or it is not known. */
  hasNone: boolean
}

const lines = (text: string) => text.split('\n')
const numberIn = (text: string | undefined) => (text === undefined ? undefined : Number(text))
const part = (line: string, pattern: RegExp) => pattern.exec(line)?.[1]

/** Returns the nodes in the text of get_cluster_status or get_cluster_resources. */
export const nodesIn = (text: string): NodeFacts[] =>
  lines(text).flatMap((line) => {
    const [, name, status] = /^(\S+)(?: \(.*?\))? (online|offline|unknown)\b/.exec(line) ?? []
    if (name === undefined || status === undefined) return []
    return {
      name,
      status,
      cpu: numberIn(part(line, /\bCPU (\d+) %/)),
      load: numberIn(part(line, /\bload ([\d.]+)/)),
      celsius: numberIn(part(line, /(-?\d{1,4}) °C/)),
      up: part(line, /\bup ([^,]+)/),
      lastSeen: part(line, /\blast seen ([^,]+)/),
    }
  })

/** Returns the guests in the text of get_vms, get_containers or get_cluster_resources. */
export const guestsIn = (text: string): GuestFacts[] =>
  lines(text).flatMap((line) => {
    const [, vmid, name, type, status, node] = /^(\d+) (.+?) (vm|ct) (\w+) on ([^\s,]+)/.exec(line) ?? []
    if (name === undefined || type === undefined || status === undefined || node === undefined) return []
    const [, ramUsed] = /memory ([\d.]+) of [\d.]+ GiB/.exec(line) ?? []
    return {
      vmid: Number(vmid),
      name,
      type,
      status,
      node,
      cpu: numberIn(part(line, /\bCPU (\d+) %/)),
      cores: numberIn(part(line, /\bCPU \d+ % of (\d+)/)),
      ram: part(line, /memory ([\d.]+ of [\d.]+ GiB)/),
      ramGib: numberIn(ramUsed),
      ramPercent: numberIn(part(line, /memory [^,(]{0,60}\((\d+) %\)/)),
      diskPercent: numberIn(part(line, /\bdisk (\d+) %/)),
      up: part(line, /\bup ([^,]+)/),
      backup: part(line, /\bbackup ([^,]{1,60}) ago/),
    }
  })

/** Returns the storages in the text of get_storage or get_cluster_resources. */
export const storagesIn = (text: string): StorageFacts[] =>
  lines(text).flatMap((line) => {
    const [, name, type, place, away, used, total, percent] =
      /^(\S+) (\S+) (shared|on \S+), (not reachable, last known )?([\d.]+ \w+) of ([\d.]+ \w+) \((\d+) %\)/.exec(
        line,
      ) ?? []
    if (name === undefined || type === undefined || place === undefined || used === undefined || total === undefined)
      return []
    return { name, type, place, used, total, isReachable: away === undefined, percent: Number(percent) }
  })

/** Returns the tasks in the text of get_recent_tasks, newest first. The words `for the same reason` are replaced by the reason of the line above. */
export function tasksIn(text: string): TaskFacts[] {
  let above: string | undefined
  return lines(text).flatMap((line) => {
    const [, ago, node, type, vmid, end] = /^(.+?) ago (\S+) (\S+?)(?: (\d+))?: (.+)$/.exec(line) ?? []
    if (ago === undefined || node === undefined || type === undefined || end === undefined) return []
    const said = /^\w+: (.*?)(?:, took [^,]+)?$/.exec(end)?.[1]
    const reason = said === 'for the same reason' ? above : said
    above = reason
    const isFailed = end.startsWith('failed')
    return { ago, node, type, end, reason, isFailed, vmid: numberIn(vmid), isRunning: end === 'running' }
  })
}

/** Returns the newest backup of each guest, from the text of get_backups called without a guest. */
export const backupsIn = (text: string): BackupFacts[] =>
  lines(text).flatMap((line): BackupFacts[] => {
    const [, vmid, name, age, storage] = /^(\d+) (.+?): (.+?) ago on ([^\s,]+),/.exec(line) ?? []
    if (name !== undefined) return [{ vmid: Number(vmid), name, age, storage, hasNone: false }]
    const [, bare] = /^No backup that can be read now: (.*)\.$/.exec(line) ?? []
    return [...(bare ?? '').matchAll(/(\d+) ([^,(]+?) \((none known|unknown|newest known ([^)]+?) ago)\)/g)].map(
      ([, id, known = '', said, newest]) => ({
        vmid: Number(id),
        name: known,
        age: newest,
        storage: undefined,
        hasNone: said === 'none known',
      }),
    )
  })

/** Returns true if get_cluster_status could read everything that may need attention. */
export const isAttentionKnown = (text: string): boolean =>
  /^(?:Nothing needs attention|Needs attention)/m.test(text) && !/ (?:is|rest is) unknown\.$/m.test(text)

/** Returns the lines of get_cluster_status about things that need attention. */
export function attentionIn(text: string): string[] {
  const all = lines(text)
  const from = all.indexOf('Needs attention:')
  return from < 0 ? [] : all.slice(from + 1).filter((line) => !line.startsWith('Could not be read'))
}

/** Returns the parts that the tools could not read: `pbs-main is not reachable`. */
export const missingIn = (text: string): string | undefined => part(text, /^Could not be read: (.*)\.$/m)

/** Returns the vmids of guests without a fresh backup, by the operator's limits. */
export const staleIn = (statusText: string): number[] =>
  attentionIn(statusText).flatMap((line) => {
    const [, ids] = /^Without a fresh backup[^:]*: (.*?)\.?$/.exec(line) ?? []
    return [...(ids ?? '').matchAll(/\d+/g)].map(([id]) => Number(id))
  })

/** Reads the text of get_node_temperature. */
export const temperatureIn = (text: string) => {
  const [, node, celsius, hot] = /^(\S+) is at (-?[\d.]+) °C[^,.]*(?:\([^)]*\))?(, which is hot)?/.exec(text) ?? []
  return node === undefined ? undefined : { node, celsius: Number(celsius), isHot: hot !== undefined }
}

export type NodeDetail = Record<'cpu' | 'cores' | 'load', number | undefined> &
  Record<'ram' | 'root' | 'up' | 'running', string | undefined>

/** Reads the text of get_node_status. */
export const nodeDetailIn = (text: string): NodeDetail => ({
  cpu: numberIn(part(text, /\bCPU (\d+) %/)),
  cores: numberIn(part(text, /\bCPU \d+ % of (\d+)/)),
  load: numberIn(part(text, /\bload ([\d.]+)/)),
  ram: part(text, /memory ([\d.]+ of [\d.]+ GiB \(\d+ %\))/),
  root: part(text, /root disk ([^,\n]+)/),
  up: part(text, /\bup ([^,\n]+)/),
  running: part(text, /^Guests: (\d+ of \d+ running)/m),
})

/** Returns the standard output of a command that succeeded; otherwise undefined. */
export const printed = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : part(text, /^Exit code 0\.[\s\S]*?\nstdout:\n([\s\S]*?)(?:\nstderr:[\s\S]*)?$/)

/** Converts a time span such as `31 h`, `8 d 4 h`, `50 min` to hours. */
export const hoursOf = (span: string): number =>
  [...span.matchAll(/(?<!\d)(\d+) (d|h|min|s)\b/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { d: 24, h: 1, min: 1 / 60, s: 1 / 3_600 }[unit as 'd'],
    0,
  )
