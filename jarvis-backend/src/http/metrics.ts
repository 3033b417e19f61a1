import type { Alert, CheckRow, ClusterState, PartStatus, ToolCalls } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import type { ModelTally } from '../agent/tally.ts'

type Labels = Readonly<Record<string, string | number>>
/** An undefined or null `value` is unknown and left out. */
type Sample = readonly [Labels, number | null | undefined]

export type Measured = {
  version: string
  model: string
  startedAt: number
  parts: readonly PartStatus[]
  cluster: ClusterState
  calls: ToolCalls
  /** Number of cards that wait for a person. */
  waiting: number
  /** Since the journal began. */
  journalEntries: number
  /** Commits of the database since the start. `full`: commits that wait for the disk. */
  commits: { full: number; normal: number }
  /** Tokens and cost of each model since the start of JARVIS. */
  models: readonly ModelTally[]
  /** The alerts that have not ended. */
  alerts: readonly Alert[]
  checks: readonly Pick<CheckRow, 'id' | 'state'>[]
  /** Connections of dashboards, by namespace. */
  sockets: Readonly<Record<string, number>>
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes metrics in Prometheus' text format. Ratios 0..1, times in seconds, sizes in bytes. */
export const metricsText = (seen: Measured): string =>
  [
    ...ofJarvis(seen),
    ...ofModels(seen),
    ...ofWatch(seen),
    ...ofCluster(seen.cluster),
    ...ofNodes(seen.cluster),
    ...ofGuests(seen.cluster),
    ...ofStorages(seen.cluster),
    ...ofProcess(seen),
  ].join('')

const one = (value: number | null): Sample[] => [[{}, value]]

const ofJarvis = (seen: Measured): string[] => [
  gauge('jarvis_info', 'What runs: always 1.', [[{ version: seen.version, model: seen.model }, 1]]),
  gauge(
    'jarvis_part_health',
    'Health of each part, as /api/status says it: always 1.',
    seen.parts.map(({ name, health }) => [{ part: name, health }, 1]),
  ),
  gauge('jarvis_confirmations_waiting', 'Cards that wait for a person.', one(seen.waiting)),
  gauge(
    'jarvis_tool_calls_week',
    'Calls of each tool in the last seven days.',
    Object.entries(seen.calls.calls).map(([tool, calls]) => [{ tool }, calls]),
  ),
  gauge('jarvis_calls_refused_week', 'Calls refused in the last seven days.', one(seen.calls.refused)),
  counter('jarvis_journal_entries_total', 'Entries of the journal.', one(seen.journalEntries)),
  counter('jarvis_database_commits_total', 'Commits of the database since the start; full ones wait for the disk.', [
    [{ level: 'full' }, seen.commits.full],
    [{ level: 'normal' }, seen.commits.normal],
  ]),
  gauge(
    'jarvis_sockets',
    'Open sockets by namespace.',
    Object.entries(seen.sockets).map(([namespace, count]) => [{ namespace }, count]),
  ),
]

const ofModels = ({ models }: Measured): string[] => [
  counter(
    'jarvis_model_tokens_total',
    'Tokens that models used since the start, stopped and failed replies included.',
    models.flatMap(({ model, usage }) => [
      [{ model, kind: 'input' }, usage.inputTokens] as const,
      [{ model, kind: 'output' }, usage.outputTokens] as const,
      [{ model, kind: 'cache_read' }, usage.cacheReadTokens] as const,
      [{ model, kind: 'cache_write' }, usage.cacheWriteTokens] as const,
    ]),
  ),
  counter(
    'jarvis_model_cost_usd_total',
    'What that cost in US dollars; absent where a price is not known.',
    models.map(({ model, costUsd }) => [{ model }, costUsd]),
  ),
  counter(
    'jarvis_model_replies_partly_counted_total',
    'Replies that ended before the provider had counted all: their tokens and cost are the least that it was.',
    models.map(({ model, partial }) => [{ model }, partial]),
  ),
]

const ofWatch = ({ alerts, checks }: Measured): string[] => [
  gauge(
    'jarvis_alert',
    'An alert that has not ended: always 1. `hidden`: another alert explains it.',
    alerts.map(({ check, object, severity, state, hiddenBy }) => [
      { check, object: object.id, severity, state, hidden: String(hiddenBy !== undefined) },
      1,
    ]),
  ),
  gauge(
    'jarvis_check_state',
    'What each check saw last, as /api/checks says it: always 1.',
    checks.map(({ id, state }) => [{ check: id, state }, 1]),
  ),
]

function ofCluster({ isQuorate, unreachableSince, unread = [] }: ClusterState): string[] {
  // Null until the first read, because it is not known yet if the cluster can be reached.
  const isUp = unreachableSince !== undefined ? 0 : unread.includes('nodes') ? null : 1
  return [
    gauge('jarvis_cluster_up', '1 where the cluster can be reached.', one(isUp)),
    gauge(
      'jarvis_cluster_quorate',
      '1 where the cluster has a quorum.',
      one(isQuorate === null ? null : Number(isQuorate)),
    ),
  ]
}

function ofNodes({ nodes }: ClusterState): string[] {
  const perNode = (value: (node: ClusterState['nodes'][number]) => number | null | undefined): Sample[] =>
    nodes.map((node) => [{ node: node.name }, value(node)])
  return [
    gauge(
      'jarvis_node_up',
      '1 for a node that is online.',
      perNode(({ status }) => (status === 'unknown' ? undefined : Number(status === 'online'))),
    ),
    gauge(
      'jarvis_node_cpu_ratio',
      'Share of a node’s processors in use.',
      perNode((node) => node.cpuRatio),
    ),
    gauge(
      'jarvis_node_memory_bytes',
      'Memory of a node in use.',
      perNode((node) => node.ramBytes),
    ),
    gauge(
      'jarvis_node_memory_total_bytes',
      'Memory of a node.',
      perNode((node) => node.ramTotalBytes),
    ),
    gauge(
      'jarvis_node_temperature_celsius',
      'Temperature of a node.',
      perNode((node) => node.temperatureC),
    ),
  ]
}

function ofGuests(cluster: ClusterState): string[] {
  const guests = withoutTemplates(cluster.guests)
  const labelsOf = ({ vmid, name, type, node }: ClusterState['guests'][number]) => ({ vmid, name, type, node })
  return [
    gauge(
      'jarvis_guest_up',
      '1 for a guest that runs.',
      guests.map((guest) => [
        labelsOf(guest),
        guest.status === 'unknown' ? undefined : Number(guest.status === 'running'),
      ]),
    ),
    gauge(
      'jarvis_guest_backup_timestamp_seconds',
      'When the newest backup of a guest was made.',
      guests.map((guest) => [labelsOf(guest), typeof guest.backupAt === 'number' ? guest.backupAt / 1000 : undefined]),
    ),
  ]
}

function ofStorages({ storages }: ClusterState): string[] {
  const perStorage = (value: (storage: ClusterState['storages'][number]) => number | null): Sample[] =>
    storages
      .filter(({ isActive }) => isActive)
      .map((storage) => [{ storage: storage.name, node: storage.node ?? '' }, value(storage)])
  return [
    gauge(
      'jarvis_storage_used_bytes',
      'Use of a storage.',
      perStorage((storage) => storage.usedBytes),
    ),
    gauge(
      'jarvis_storage_total_bytes',
      'Size of a storage.',
      perStorage((storage) => storage.totalBytes),
    ),
  ]
}

function ofProcess({ startedAt }: Measured): string[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'Processor time of this process.', one((user + system) / 1e6)),
    gauge('process_resident_memory_bytes', 'Memory of this process.', one(process.memoryUsage.rss())),
    gauge('process_start_time_seconds', 'When this process began to serve.', one(startedAt / 1000)),
  ]
}

const familyOf = (type: 'gauge' | 'counter') => (name: string, help: string, samples: readonly Sample[]) => {
  const lines = samples.flatMap(([labels, value]) =>
    typeof value !== 'number' ? [] : [`${name}${labelled(labels)} ${value}`],
  )
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}
const gauge = familyOf('gauge')
const counter = familyOf('counter')

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string) => value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
