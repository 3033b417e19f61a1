import type { Alert, ClusterState, Guest, SessionSummary, Tier, ToolInfo } from 'protocol'
import { isOpen } from '../api/alerts.ts'
import { toolFor } from '../api/tools.ts'
import { severityMark } from '../features/alerts/worst.ts'
import { nodePath } from '../features/cluster/paths.ts'
import { dateOf, share } from '../lib/format.ts'
import type { IconName } from '../ui/icon.tsx'
import type { MarkKind } from '../ui/mark.tsx'
import type { Page } from './page-list.ts'

export type Item = {
  key: string
  group: 'Pages' | 'Alerts' | 'Guests' | 'Nodes' | 'Ask JARVIS to' | 'Sessions' | 'Tools' | 'Acts'
  label: string
  /** Text at the end of the row, such as a key, a state or a date. */
  detail: string
  /** Text shown beside the label. */
  note?: string
  icon?: IconName
  tier?: Tier
  mark?: MarkKind
  /** The page that the item opens. */
  to?: string
  /** The message that the item sends in a new chat. */
  ask?: string
  act?: 'theme' | 'keys' | 'sign-out' | 'new'
}

const acts: readonly (readonly [label: string, act: NonNullable<Item['act']>, icon: IconName, keys: string])[] = [
  ['New chat', 'new', 'plus', 'Alt N'],
  ['Switch theme', 'theme', 'sun', ''],
  ['Show all keys', 'keys', 'more', '?'],
  ['Sign out', 'sign-out', 'leave', ''],
]
const tierWords: Record<Tier, string> = {
  green: 'Read, runs',
  yellow: 'Change, runs and is journalled',
  red: 'Ask, waits for you',
  black: 'Never, is refused',
}
const mostOf = 6

export type Known = {
  pages: readonly Page[]
  cluster: ClusterState | undefined
  sessions: readonly SessionSummary[]
  tools: readonly ToolInfo[]
  alerts: readonly Alert[]
  /** True if this person may chat and ask for calls. */
  mayAsk: boolean
  markOf: (guest: Guest) => MarkKind
  now: number
}

/** Returns the items that contain every word of the text, best group first. */
export function itemsFor(
  text: string,
  { pages, cluster, sessions, tools, alerts, mayAsk, markOf, now }: Known,
): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (...parts: string[]) => {
    const whole = parts.join(' ').toLowerCase()
    return words.every((word) => whole.includes(word))
  }
  const isEmpty = words.length === 0
  const guests = isEmpty ? [] : (cluster?.guests ?? [])
  const nodes = isEmpty ? [] : (cluster?.nodes ?? [])
  const named = guests.filter((guest) => isNamed(guest, words)).slice(0, mostOf)
  const foundAlerts = isEmpty ? [] : alerts.filter((alert) => isOpen(alert) && fits(alert.sentence, 'alert'))
  const foundTools = isEmpty ? [] : tools.filter(({ name }) => fits(name))
  const foundSessions = sessions.filter(({ title }) => fits(title)).slice(0, mostOf)
  return [
    ...named.map((guest) => guestItem(guest, markOf(guest))),
    ...(mayAsk ? askItems(words, guests, tools) : []),
    ...nodes.filter(({ name }) => fits(name)).map(nodeItem),
    ...foundAlerts.slice(0, mostOf).map(alertItem),
    ...pages.filter(({ title }) => fits(title)).map(pageItem),
    ...foundTools.slice(0, mostOf).map(toolItem),
    ...foundSessions.map((session) => sessionItem(session, now)),
    ...acts
      .filter(([label, act]) => fits(label) && (mayAsk || act !== 'new'))
      .map(([label, act, icon, keys]): Item => ({ key: act, group: 'Acts', label, detail: keys, icon, act })),
  ]
}

const guestItem = ({ vmid, name, type, node, status, cpuRatio, isTemplate }: Guest, mark: MarkKind): Item => ({
  key: `guest ${vmid}`,
  group: 'Guests',
  label: `${vmid} ${name}`,
  note: `${type === 'vm' ? 'VM' : 'CT'} on ${node}, ${status === 'running' ? `CPU ${share(cpuRatio)}` : isTemplate ? 'template' : status}`,
  detail: 'open',
  mark,
  to: `/cluster?guest=${vmid}`,
})

const nodeItem = ({ name, status }: ClusterState['nodes'][number]): Item => ({
  key: `node ${name}`,
  group: 'Nodes',
  label: name,
  detail: status,
  icon: 'cluster',
  to: nodePath(name),
})

const alertItem = ({ id, sentence, severity }: Alert): Item => ({
  key: `alert ${id}`,
  group: 'Alerts',
  label: sentence,
  detail: 'open',
  mark: severityMark[severity],
  to: `/alerts?alert=${encodeURIComponent(id)}`,
})

const pageItem = ({ path, title, icon, key }: Page): Item => ({
  key: path,
  group: 'Pages',
  label: title,
  detail: key === undefined ? '' : `g ${key}`,
  icon,
  to: path,
})

const toolItem = ({ name, tier }: ToolInfo): Item => ({
  key: `tool ${name}`,
  group: 'Tools',
  label: name,
  detail: 'open',
  tier,
  to: `/agents/tools?tool=${encodeURIComponent(name)}`,
})

const sessionItem = ({ id, title, updatedAt }: SessionSummary, now: number): Item => ({
  key: id,
  group: 'Sessions',
  label: title,
  detail: dayWord(updatedAt, now),
  icon: 'chat',
  to: `/chat/${id}`,
})

const kinds: Record<Guest['type'], readonly string[]> = {
  vm: ['guest', 'vm'],
  ct: ['guest', 'ct', 'lxc', 'container'],
}

/** True if the words match the guest's vmid and name, with or without its kind: `vm 123`, `guest frig`. */
function isNamed({ vmid, name, type }: Guest, words: readonly string[]): boolean {
  const own = words.filter((word) => !kinds[type].includes(word))
  return (own.length === 0 ? words : own).every((word) => `${vmid} ${name}`.toLowerCase().includes(word))
}

const verbs = ['start', 'restart', 'stop'] as const

/** Returns the actions on the guests that the words name: `restart frig`, `frigate`, `123`. */
function askItems(words: readonly string[], guests: readonly Guest[], tools: readonly ToolInfo[]): Item[] {
  const wanted = words.filter((word) => !verbs.some((verb) => verb.startsWith(word)))
  if (wanted.length === 0) return []
  const meant = verbs.filter((verb) => words.some((word) => !wanted.includes(word) && verb.startsWith(word)))
  const named = guests.filter((guest) => isNamed(guest, wanted))
  return named.slice(0, 3).flatMap((guest) => [
    ...(tools.length === 0 || meant.length > 0
      ? []
      : [
          {
            key: `status ${guest.vmid}`,
            group: 'Ask JARVIS to' as const,
            label: `show the status of ${guest.vmid} ${guest.name}`,
            detail: tierWords.green,
            tier: 'green' as const,
            ask: `How is guest ${guest.vmid}?`,
          },
        ]),
    ...(meant.length > 0 ? meant : verbs).flatMap((verb): Item[] => {
      if (guest.isTemplate || (verb === 'start') !== (guest.status === 'stopped')) return []
      const tool = toolFor(tools, { kind: 'power', on: 'guest', action: verb, type: guest.type })
      if (tool === undefined) return []
      return [
        {
          key: `${verb} ${guest.vmid}`,
          group: 'Ask JARVIS to',
          label: `${verb} ${guest.vmid} ${guest.name}`,
          detail: tierWords[tool.tier],
          tier: tool.tier,
          ask: `/${tool.name} vmid=${guest.vmid}`,
        },
      ]
    }),
  ])
}

/** `today`, `yesterday`, `3 Oct`. */
function dayWord(at: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (at >= today) return 'today'
  return at >= new Date(today - 1).setHours(0, 0, 0, 0) ? 'yesterday' : dateOf(at, now).slice(4)
}
