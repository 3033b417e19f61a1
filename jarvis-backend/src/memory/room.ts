import { join } from 'node:path'
import type { Weights } from 'hybrid-index'
import { mainAgentId, type Principal } from 'protocol'
import { lessonOf } from '../agent/lesson.ts'
import type { StoredEntry } from '../agent/sessions/transcript-store.ts'
import { type Agent, type Agents, agentIdOf } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import { requireHouse } from '../auth/reach.ts'
import type { People } from '../calls/people.ts'
import type { Journal } from '../calls/ports.ts'
import { createRestoreFiles } from '../calls/restore-files.ts'
import { createUndoWrite } from '../calls/undo-write.ts'
import type { Config, EmbeddingsConfig } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { memoryRoutes } from '../http/memory.ts'
import type { Clock } from '../lib/clock.ts'
import type { ProxySettings } from '../lib/proxies.ts'
import { startWorker } from '../lib/start-worker.ts'
import { timeOfDay } from '../lib/time-of-day.ts'
import type { Database } from '../store/sqlite/database.ts'
import { openMemoryReader } from '../store/sqlite/memory/store.ts'
import { vectorsMissing } from '../store/sqlite/memory/vectors.ts'
import { createMemoryWrites } from '../store/sqlite/memory/writes.ts'
import { memoryTools } from '../tools/memory/index.ts'
import type { OwnMemory } from '../tools/memory/memory-tool.ts'
import { withPorts } from '../tools/tool.ts'
import { createWorkspace } from '../workspace/files.ts'
import type { TextFiles } from '../workspace/text-files.ts'
import { dailyAddition, dailyPath } from './daily.ts'
import { createEarlySearch } from './early-search.ts'
import type { IndexStatus } from './indexer.ts'
import type { MemoryWorkerData } from './messages.ts'
import { fileNamed, indexedName, placesOf } from './owner.ts'
import { createRecall } from './recall.ts'
import { createRemoteMemory } from './remote.ts'

/** How far from the end of a day's file its last heading is looked for, bytes. If it is further back, the heading is written again. */
const headingWithinBytes = 16_384

/** Delay before the index is read into memory, so that it does not slow the start, ms. Until then words are searched on disk. */
const startAfterMs = 5_000

/** Heap limits of the index's thread, MB. The index itself is outside the heap; a small young generation keeps short-lived texts from piling up. */
const memoryLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 }

/** The memory: the workspace's files, the index in its thread, tools, recall, lessons and routes. */
export const memoryRoom = defineRoom({
  name: 'memory',
  /** `worker` and `isOnUse` are for tests: the thread's program, and whether the thread waits for the first request. */
  open(needs: {
    foundation: Foundation
    config: Pick<Config, 'embeddings' | 'memoryWeights' | 'proxies'>
    texts: TextFiles
    people: Pick<People, 'find'>
    agents: Pick<Agents, 'find' | 'require' | 'list'>
    embedded(model: string, tokens: number, isPartial: boolean): void
    worker: URL | undefined
    isOnUse: boolean
  }) {
    const { foundation, config, ...parts } = needs
    const memory = openMemory({
      ...foundation,
      ...parts,
      embeddings: config.embeddings,
      weights: config.memoryWeights,
      proxies: config.proxies,
      changed: () => foundation.activity.changed({ what: 'memory' }),
    })
    return { memory, contributes: { tools: memory.tools, routes: memory.routes }, stop: memory.stop }
  },
})

function openMemory(parts: {
  dataDir: string
  agents: Pick<Agents, 'find' | 'require' | 'list'>
  texts: TextFiles
  people: Pick<People, 'find'>
  /** Must be a file: the index opens a connection of its own. */
  databasePath: string
  embeddings: EmbeddingsConfig
  weights: Weights
  proxies: ProxySettings
  /** The thread's program; absent: the one beside this file. */
  worker: URL | undefined
  /** True if the thread starts with the first request to it. */
  isOnUse: boolean
  database: Database
  journal: Journal
  clock: Clock
  redact(text: string): string
  redactor: { value<T>(value: T): T }
  /** Told of what embeddings used. `model`: `openai/NAME`. */
  embedded(model: string, tokens: number, isPartial: boolean): void
  changed(status: IndexStatus | undefined): void
  log(text: string, level: 'warning'): void
  report(error: unknown, message: string): void
}) {
  const { dataDir, database, journal, clock } = parts
  const now = () => clock.now()
  const workspaceDir = join(dataDir, 'workspace')
  const workspace = createWorkspace(workspaceDir)
  const writes = createMemoryWrites(database, now)
  const indexPath = join(dataDir, 'memory.db')
  const beside = import.meta.url.endsWith('.ts') ? '../memory-worker.ts' : './memory-worker.js'
  const worker = parts.worker ?? new URL(beside, import.meta.url)
  const workerData: MemoryWorkerData = {
    workspaceDir,
    databasePath: parts.databasePath,
    indexPath,
    embedder: parts.embeddings,
    weights: parts.weights,
    proxies: parts.proxies,
  }
  const missing = vectorsMissing()
  if (missing !== undefined) parts.log(missing, 'warning')
  const tellEmbedded = (name: string) => (tokens: number, isPartial: boolean) =>
    parts.embedded(`openai/${name}`, tokens, isPartial)
  const memory = createRemoteMemory({
    start: () => startWorker(worker, workerData, memoryLimits),
    early: createEarlySearch(() => openMemoryReader(indexPath), now),
    clock,
    ...(parts.embeddings.kind === 'openai' && { embedded: tellEmbedded(parts.embeddings.model) }),
    changed: parts.changed,
    report: parts.report,
  })
  const startsByItself = parts.databasePath !== ':memory:' && !parts.isOnUse
  const cancelStart = startsByItself
    ? clock.after(startAfterMs, () => void memory.call('status', {}).catch(() => {}))
    : undefined

  const recall = createRecall(memory)
  /** Opened when first used: an agent without notes has no folder. */
  const workspaceOf = (agent: string) => (agent === mainAgentId ? workspace : createWorkspace(agentDir(dataDir, agent)))
  /** The agent whose workspace an agent reads and writes. */
  const ownerOf = ({ id, memory: kind }: Agent) => (kind === 'own' ? id : mainAgentId)
  const placesFor = (agent: Agent) => {
    const sharing = parts.agents.list().filter((other) => other.id !== mainAgentId && other.memory === 'shared')
    return placesOf(
      agent,
      sharing.map(({ id }) => id),
    )
  }

  /** @param asker absent: JARVIS itself. @throws JarvisError `forbidden` for a person who may only look */
  function ownMemory(asker: Principal | undefined): OwnMemory {
    const person = asker && parts.people.find(asker.person)
    if (person !== undefined) requireHouse(person)
    const agent = parts.agents.require(agentIdOf(asker ?? {}))
    const owner = ownerOf(agent)
    return {
      search: (query, limit) => memory.call('search', { query, limit, kinds: placesFor(agent) }),
      workspace: workspaceOf(owner),
      keep: (record) => writes.add({ ...record, path: indexedName(record.path, owner) }),
    }
  }

  /** Appends the session's lesson, redacted, to the day's file of its agent. */
  function learn(sessionId: string, entries: readonly StoredEntry[], agentId: string) {
    const agent = parts.agents.find(agentId)
    if (agent === undefined || agent.memory === 'none') return
    const lesson = lessonOf(entries, sessionId, timeOfDay)
    if (lesson === undefined) return
    try {
      const path = dailyPath(now())
      const own = workspaceOf(ownerOf(agent))
      const end = own.tail(path, headingWithinBytes) ?? ''
      own.append(path, dailyAddition(end, parts.redact(lesson), 'jarvis'))
    } catch (error) {
      parts.report(error, 'what was learned could not be written down')
    }
  }

  async function forget(sessionId: string, by: string) {
    database.durably(() => {
      writes.forget(sessionId)
      journal.append('memory', { change: 'forgotten', sessionId, by })
    })
    await memory.call('sync', {})
  }

  return {
    status: memory.status,
    /** Computes embeddings with the memory's model. @throws JarvisError where it does not answer */
    embed: (texts: readonly string[]) => memory.call('embed', { texts }),
    tools: withPorts(memoryTools, { of: ownMemory, now, redact: parts.redact }),
    recall: (message: string, agent: string) => recall(message, placesFor(parts.agents.require(agent))),
    learn,
    filesBack: createRestoreFiles({ workspace, writes, journal, transactions: database }),
    routes: memoryRoutes({
      memory: { call: memory.call, search: (query, limit) => ownMemory(undefined).search(query, limit) },
      files: {
        list: () => parts.texts.list(mainAgentId).map(({ by: _, ...file }) => file),
        read: (path) => parts.texts.read(mainAgentId, path),
        write: (path, text, checksum, by) => parts.texts.write(mainAgentId, path, { text, checksum, by }),
        remove: (path, by) => parts.texts.remove(mainAgentId, path, by),
      },
      forget,
      undo: createUndoWrite({
        placeOf(name) {
          const { agent, path } = fileNamed(name)
          return { workspace: workspaceOf(agent), path }
        },
        writes,
        journal,
        transactions: database,
      }),
      redact: parts.redactor.value,
    }),
    stop() {
      cancelStart?.()
      return memory.stop()
    },
  }
}

export type ComposedMemory = ReturnType<typeof openMemory>
