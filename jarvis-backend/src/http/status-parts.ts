import type { ApiTokenInfo, ClusterState, MemoryStatus, PartStatus } from 'protocol'
import { isBlind } from 'protocol/facts'
import { nodeWords } from '../homelab/counts.ts'
import type { LogStanding } from '../lib/log-sink.ts'

/** Outcome of the latest question to the model; times in Unix ms. */
export type ModelSeen = { okAt?: number; failedAt?: number; problem?: string }
export type Disk = { freeBytes: number; totalBytes: number; databaseBytes: number }

export type PartsSeen = {
  now: number
  model: { id: string; isDemo: boolean; seen: ModelSeen }
  cluster: ClusterState
  hasSsh: boolean
  memory: MemoryStatus | undefined
  journalEntries: number
  journal: { problem?: string; lostCards: number }
  apiTokens: readonly ApiTokenInfo[]
  /** Undefined if the disk's space could not be read. */
  disk: Disk | undefined
  policyProblems: readonly string[]
  /** Connections of dashboards, by namespace. */
  sockets: Readonly<Record<string, number>>
  /** Number of browsers that receive cards, and number of those to which the last push failed. */
  push: { devices: number; failing: number }
  sqliteVersion: string
  log: LogStanding
  /** The clock jumped from `from` to `to`, and JARVIS does not trust the new time yet, Unix ms. Undefined: there was no such jump. */
  leapt: { from: number; to: number } | undefined
  /** Another process holds the database. */
  isHeld: boolean
  /** Rooms that did not start. */
  failedRooms: readonly { name: string; problem?: string | undefined }[]
}

const gib = 1024 ** 3
const tightShare = 0.05
const tightBytes = gib / 2

/** Describes the health of each part of JARVIS from data that is already known; sends no requests. */
export function statusParts(seen: PartsSeen): PartStatus[] {
  return [
    model(seen),
    cluster(seen.cluster),
    ...(seen.hasSsh || seen.cluster.isDemo ? [] : [noSsh]),
    memory(seen.memory),
    policy(seen),
    journal(seen),
    mcp(seen),
    disk(seen.disk),
    ...(seen.leapt ? [leapt(seen.leapt)] : []),
    ...(seen.isHeld ? [held] : []),
    ...(seen.failedRooms.length > 0 ? [failed(seen.failedRooms)] : []),
    ...(seen.log.lost > 0 ? [log(seen.log)] : []),
    sockets(seen),
    push(seen),
    runtime(seen),
  ]
}

function model({ model: { id, isDemo, seen } }: PartsSeen): PartStatus {
  const name = 'Model'
  if (isDemo) return { name, health: 'ok', text: `${id}: scripted, works without a key.` }
  const { okAt, failedAt, problem } = seen
  if (failedAt !== undefined && failedAt > (okAt ?? 0)) {
    const effect = 'Questions get no answer. Commands such as /get_cluster_status still work.'
    return {
      name,
      health: 'bad',
      text: `${id}: ${problem ?? 'no answer'}`,
      effect,
      at: okAt,
    }
  }
  if (okAt === undefined) return { name, health: 'unknown', text: `${id}: not asked since the start.` }
  return { name, health: 'ok', text: `${id} answers.`, at: okAt }
}

function cluster(state: ClusterState): PartStatus {
  const { name: known, at, isDemo, nodes, isQuorate, missing, unreachableSince, unread = [] } = state
  const name = 'Cluster'
  const text = `${isDemo ? 'The built-in demo' : known}: ${nodeWords(nodes)}.`
  const [reason = 'It cannot be reached.', ...others] = missing
  if (unreachableSince !== undefined) {
    const effect = isBlind(state)
      ? 'How the cluster is now is unknown, and nothing in it can be changed.'
      : 'What is shown is old, and nothing in the cluster can be changed.'
    return { name, health: 'bad', text: reason, effect, ...(!unread.includes('nodes') && { at }) }
  }
  if (unread.includes('nodes')) return { name, health: 'unknown', text: [reason, ...others].join('; ') }
  if (isQuorate === null) {
    return { name, health: 'warn', text: `Quorum unknown. ${text}`, effect: `Not read: ${missing.join('; ')}.`, at }
  }
  if (!isQuorate) return { name, health: 'bad', text: `${text} No quorum.`, effect: 'Guests cannot be started.', at }
  if (missing.length > 0) return { name, health: 'warn', text, effect: `Not read: ${missing.join('; ')}.`, at }
  return { name, health: 'ok', text, at }
}

/** Some operators leave SSH out on purpose, so its absence counts as ok. */
const noSsh: PartStatus = {
  name: 'SSH',
  health: 'ok',
  text: 'Not set up: temperatures of nodes are unknown, and commands and services on nodes do not work. Settings, SSH says how.',
}

function memory(status: MemoryStatus | undefined): PartStatus {
  const name = 'Memory'
  if (status === undefined) return { name, health: 'unknown', text: 'Not started: it starts with the first search.' }
  const { state, chunks, embedded, problem, problems, remade } = status
  const text = `${chunks} passages, ${embedded} of them found by meaning too.${remade === undefined ? '' : ` ${remade.why} It was made again.`}`
  if (problem !== undefined)
    return { name, health: 'warn', text: problem, effect: 'Search may go by words alone, or take longer.' }
  if (state !== 'ready') return { name, health: 'ok', text: `${text} Still reading.` }
  if (problems.length > 0) return { name, health: 'warn', text, effect: `Not whole: ${problems.length} files.` }
  return { name, health: 'ok', text }
}

function policy({ policyProblems }: PartsSeen): PartStatus {
  const name = 'Policy'
  if (policyProblems.length === 0) return { name, health: 'ok', text: 'In force as written.' }
  const text = `policy.yaml has ${policyProblems.length === 1 ? 'a problem' : `${policyProblems.length} problems`}.`
  return { name, health: 'warn', text, effect: 'The policy before stays in force.' }
}

function journal({ journalEntries, journal: { problem, lostCards } }: PartsSeen): PartStatus {
  const name = 'Journal'
  const lost = lostCards === 1 ? 'A card that waited is gone.' : `${lostCards} cards that waited are gone.`
  const again = 'Ask again for what you miss: none of it can be approved.'
  if (problem !== undefined) {
    const cards = lostCards === 0 ? 'Cards that waited may be gone.' : lost
    const effect = `It is no evidence, and approvals from before the start do not count. ${cards} ${again}`
    return { name, health: 'bad', text: problem, effect }
  }
  if (lostCards > 0) return { name, health: 'warn', text: lost, effect: again }
  return { name, health: 'ok', text: `${journalEntries} entries. Verify it on the Journal page.` }
}

function mcp({ apiTokens, now }: PartsSeen): PartStatus {
  const name = 'MCP'
  const tokens = apiTokens.filter(({ doors }) => doors.includes('mcp'))
  const lastUsedAt = Math.max(0, ...tokens.map((token) => token.lastUsedAt ?? 0))
  const expired = tokens.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
  const { length } = tokens
  const text = length === 0 ? 'No tokens: no client can connect.' : `${length} ${length === 1 ? 'token' : 'tokens'}.`
  return {
    name,
    health: 'ok',
    text: expired.length > 0 ? `${text} ${expired.length} of them expired.` : text,
    ...(lastUsedAt > 0 && { at: lastUsedAt }),
  }
}

function disk(found: Disk | undefined): PartStatus {
  const name = 'Disk'
  if (found === undefined) return { name, health: 'unknown', text: 'Its room could not be read.' }
  const { freeBytes, totalBytes, databaseBytes } = found
  const size = (bytes: number) => `${(bytes / gib).toFixed(bytes >= 10 * gib ? 0 : 1)} GiB`
  const text = `${size(freeBytes)} of ${size(totalBytes)} free; the database takes ${(databaseBytes / 1024 ** 2).toFixed(1)} MiB.`
  if (freeBytes > Math.min(totalBytes * tightShare, tightBytes)) return { name, health: 'ok', text }
  return { name, health: 'bad', text, effect: 'Soon nothing can be journalled, and then nothing is run.' }
}

const leapt = ({ from, to }: { from: number; to: number }): PartStatus => ({
  name: 'Clock',
  health: 'warn',
  text: `It leapt from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}.`,
  effect:
    'Nothing old is deleted and no figures are kept until it has stood for a day. Set the clock where it is wrong.',
})

const held: PartStatus = {
  name: 'Database',
  health: 'warn',
  text: 'Another process holds it.',
  effect: 'Messages, decisions and results wait until it is free. What only reads goes on.',
}

const failed = (rooms: PartsSeen['failedRooms']): PartStatus => ({
  name: 'Start',
  health: 'bad',
  text: rooms.map(({ name, problem }) => `${name} did not start: ${problem ?? 'no cause is known'}`).join(' '),
  effect: 'What these parts do in the background is not done. Mend the cause, then restart JARVIS. The log says more.',
})

/** Describes a log that lost lines. The page Log still has the newest ones. */
function log({ lost, problem }: LogStanding): PartStatus {
  const text = `${lost} ${lost === 1 ? 'line' : 'lines'} of the log could not be written to standard output.`
  if (problem === undefined) return { name: 'Log', health: 'ok', text: `${text} It takes lines again.` }
  return { name: 'Log', health: 'warn', text, effect: `New lines are lost there: ${problem}. JARVIS goes on.` }
}

function sockets({ sockets }: PartsSeen): PartStatus {
  const all = Object.entries(sockets)
  const dashboards = Math.max(0, ...all.map(([, count]) => count))
  const text =
    dashboards === 0 ? 'No dashboard is connected.' : all.map(([name, count]) => `${name} ${count}`).join(', ')
  return { name: 'Sockets', health: 'ok', text }
}

function push({ push: { devices, failing } }: PartsSeen): PartStatus {
  const name = 'Push'
  if (devices === 0) return { name, health: 'ok', text: 'No browser is told while it is closed.' }
  const text = `${devices} ${devices === 1 ? 'browser is' : 'browsers are'} told that a card waits.`
  if (failing === 0) return { name, health: 'ok', text }
  return { name, health: 'warn', text, effect: `${failing} of them could not be reached last: the settings say why.` }
}

const runtime = ({ sqliteVersion }: PartsSeen): PartStatus => ({
  name: 'Runtime',
  health: 'ok',
  text: `Node ${process.versions.node}, SQLite ${sqliteVersion}, ${process.platform} ${process.arch}.`,
})
