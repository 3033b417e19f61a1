import { join } from 'node:path'
import { JarvisError, mainAgentId, type Principal } from 'protocol'
import type { FilesBack } from '../agent/context/going-back.ts'
import { lessonOf } from '../agent/lesson.ts'
import type { StoredEntry } from '../agent/sessions/transcript-store.ts'
import { type Agent, type Agents, agentIdOf } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import { requireHouse } from '../auth/reach.ts'
import type { People } from '../calls/people.ts'
import { createRestoreFiles } from '../calls/restore-files.ts'
import { createUndoWrite } from '../calls/undo-write.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { memoryRoutes, type NoteFiles } from '../http/memory.ts'
import { startWorker } from '../lib/start-worker.ts'
import { timeOfDay } from '../lib/time-of-day.ts'
import { openMemoryReader } from '../store/sqlite/memory/store.ts'
import { vectorsMissing } from '../store/sqlite/memory/vectors.ts'
import { MemoryWrites } from '../store/sqlite/memory/writes.ts'
import { memoryTools } from '../tools/memory/index.ts'
import type { OwnMemory } from '../tools/memory/memory-tool.ts'
import { withPorts } from '../tools/tool.ts'
import { createWorkspace, type Workspace } from '../workspace/files.ts'
import type { TextFiles } from '../workspace/text-files.ts'
import { dailyAddition, dailyPath } from './daily.ts'
import { EarlySearch } from './early-search.ts'
import { createFileKeeper, createSharedKeeper } from './file-keeper.ts'
import type { IndexStatus, Keeper } from './indexer.ts'
import type { MemoryWorkerData } from './messages.ts'
import { agentOfKind, fileNamed, indexedName, isSharedPath, placesOf, sharedKind } from './owner.ts'
import type { SourceKind } from './ports.ts'
import { createRecall, type Recall } from './recall.ts'
import { type Memory, RemoteMemory } from './remote.ts'

/** The last heading of a day's file is looked for in this many bytes at its end. If it is further back, it is written again. */
const headingWithinBytes = 16_384

/** Delay before the index is read into memory, so that it does not slow the start, ms. Until then words are searched on disk. */
const startAfterMs = 5_000

/** Heap limits of the index's thread, MB. The index itself is outside the heap; a small young generation keeps short-lived texts from piling up. */
const memoryLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 }

/** Everything that the memory needs of earlier rooms. `worker` and `isOnUse` are for tests. */
export type MemoryNeeds = {
  foundation: Foundation
  config: Pick<Config, 'embeddings' | 'memoryWeights' | 'proxies'>
  texts: TextFiles
  people: Pick<People, 'find'>
  agents: Pick<Agents, 'find' | 'require' | 'list'>
  /** Called with the tokens that embeddings used. `model`: `openai/NAME`. */
  embedded(model: string, tokens: number, isPartial: boolean): void
  /** The thread's program; undefined: the one beside this file. */
  worker: URL | undefined
  /** True if the thread starts with the first request to it. */
  isOnUse: boolean
}

/** The memory: the workspace's files, the index in its thread, tools, recall, lessons and routes. */
export const memoryRoom = defineRoom({
  name: 'memory',
  open(needs: MemoryNeeds) {
    const { redact, redactor, now } = needs.foundation
    const index = openIndex(needs)
    const memory = new HouseMemory(needs, index)
    if (startsByItself(needs)) memory.startSoon()
    return {
      memory,
      contributes: {
        tools: withPorts(memoryTools, { of: (asker) => memory.ownMemory(asker), now, redact }),
        routes: memoryRoutes({
          memory: {
            call: (method, input) => index.call(method, input),
            search: (query, limit) => memory.ownMemory(undefined).search(query, limit),
          },
          files: mainFiles(needs.texts),
          forget: (sessionId, by) => memory.forget(sessionId, by),
          undo: (writeId, by) => memory.undo(writeId, by),
          redact: redactor.value,
        }),
      },
      stop: () => memory.stop(),
    }
  },
})

/** Returns true if the thread starts without a request. False if it starts with the first request, and for a test's database in memory. */
const startsByItself = ({ foundation, isOnUse }: MemoryNeeds) => foundation.databasePath !== ':memory:' && !isOnUse

function openIndex({ foundation, config, embedded, worker }: MemoryNeeds): RemoteMemory {
  const { dataDir, databasePath, clock, now, activity, report, log } = foundation
  const { embeddings } = config
  const indexPath = join(dataDir, 'memory.db')
  const beside = import.meta.url.endsWith('.ts') ? '../memory-worker.ts' : './memory-worker.js'
  const program = worker ?? new URL(beside, import.meta.url)
  const workerData: MemoryWorkerData = {
    workspaceDir: join(dataDir, 'workspace'),
    databasePath,
    indexPath,
    embedder: embeddings,
    weights: config.memoryWeights,
    proxies: config.proxies,
  }
  const missing = vectorsMissing()
  if (missing !== undefined) log(missing, 'warning')
  return new RemoteMemory({
    start: () => startWorker(program, workerData, memoryLimits),
    early: new EarlySearch(() => openMemoryReader(indexPath), now),
    clock,
    ...(embeddings.kind === 'openai' && {
      embedded: (tokens, isPartial) => embedded(`openai/${embeddings.model}`, tokens, isPartial),
    }),
    changed: () => activity.changed({ what: 'memory' }),
    report,
  })
}

/** The notes and prompt files of the main agent. */
const mainFiles = (texts: TextFiles): NoteFiles => ({
  list: () => texts.list(mainAgentId).map(({ by: _, ...file }) => file),
  read: (path) => texts.read(mainAgentId, path),
  write: (path, file) => texts.write(mainAgentId, path, file),
  remove: (path, by) => texts.remove(mainAgentId, path, by),
})

/** The memory: its index, the notes of each agent, and lessons of past conversations. */
class HouseMemory {
  /** Takes back several writes of files at once. */
  readonly filesBack: FilesBack
  readonly #needs: MemoryNeeds
  readonly #index: Memory
  readonly #recall: ReturnType<typeof createRecall>
  readonly #workspace: Workspace
  readonly #writes: MemoryWrites
  readonly #undo: (writeId: string, by: string) => void
  #cancelStart: (() => void) | undefined

  constructor(needs: MemoryNeeds, index: RemoteMemory) {
    const { dataDir, database, journal, now } = needs.foundation
    this.#needs = needs
    this.#index = index
    this.#recall = createRecall(index, (kinds) => startsByItself(needs) && index.isBehind(this.#noteKeepers(kinds)))
    this.#workspace = createWorkspace(join(dataDir, 'workspace'))
    this.#writes = new MemoryWrites(database, now)
    const parts = { writes: this.#writes, journal, transactions: database }
    this.filesBack = createRestoreFiles({ ...parts, workspace: this.#workspace })
    this.#undo = createUndoWrite({
      ...parts,
      placeOf: (name) => {
        const { agent, path } = fileNamed(name)
        return { workspace: this.#workspaceOf(agent), path }
      },
    })
  }

  /** Starts the index's thread in a few seconds. */
  startSoon(): void {
    const start = () => void this.#index.call('status', {}).catch(() => {})
    this.#cancelStart = this.#needs.foundation.clock.after(startAfterMs, start)
  }

  stop(): Promise<void> {
    this.#cancelStart?.()
    return this.#index.stop()
  }

  status(): IndexStatus | undefined {
    return this.#index.status()
  }

  /** Computes embeddings with the memory's model. @throws JarvisError if the model does not answer */
  embed(texts: readonly string[]) {
    return this.#index.call('embed', { texts })
  }

  /** The notes and the parts of conversations that fit a message to an agent. @param mayRecall tells if a conversation may be recalled */
  recall(message: string, agent: string, mayRecall: (sessionId: string) => boolean): Promise<Recall> {
    return this.#recall(message, { kinds: this.#placesFor(this.#needs.agents.require(agent)), mayRecall })
  }

  #noteKeepers(kinds: readonly SourceKind[]): Keeper[] {
    return kinds.flatMap((kind) => {
      const agent = agentOfKind(kind)
      if (kind === sharedKind) return createSharedKeeper(this.#workspaceOf(agent))
      return kind.startsWith('file') ? createFileKeeper(this.#workspaceOf(agent), agent) : []
    })
  }

  /**
   * Returns the memory that a principal may use. @param asker undefined: JARVIS itself. @throws JarvisError `forbidden` for a person who may only
   * look
   */
  ownMemory(asker: Principal | undefined): OwnMemory {
    const { people, agents } = this.#needs
    const person = asker && people.find(asker.person)
    if (person !== undefined) requireHouse(person)
    const agent = agents.require(agentIdOf(asker ?? {}))
    const owner = ownerOf(agent)
    return {
      search: (query, limit) => this.#index.call('search', { query, limit, kinds: this.#placesFor(agent) }),
      workspace: owner === mainAgentId ? this.#workspace : withShared(this.#workspaceOf(owner), this.#workspace),
      keep: (record) => this.#writes.add({ ...record, path: indexedName(record.path, owner) }),
    }
  }

  /** Appends the session's lesson, redacted, to the day's file of its agent. */
  learn(sessionId: string, entries: readonly StoredEntry[], agentId: string): void {
    const { now, redact, report } = this.#needs.foundation
    const agent = this.#needs.agents.find(agentId)
    if (agent === undefined || agent.memory === 'none') return
    const lesson = lessonOf(entries, sessionId, timeOfDay)
    if (lesson === undefined) return
    try {
      const path = dailyPath(now())
      const own = this.#workspaceOf(ownerOf(agent))
      const end = own.tail(path, headingWithinBytes) ?? ''
      own.append(path, dailyAddition(end, redact(lesson), 'jarvis'))
    } catch (error) {
      report(error, 'what was learned could not be written down')
    }
  }

  /** Removes the memory's records of a session and updates the index. */
  async forget(sessionId: string, by: string): Promise<void> {
    const { database, journal } = this.#needs.foundation
    database.durably(() => {
      this.#writes.forget(sessionId)
      journal.append('memory', { change: 'forgotten', sessionId, by })
    })
    await this.#index.call('sync', {})
  }

  /** Takes back one write of a file. @throws JarvisError `not_found`, `conflict` */
  undo(writeId: string, by: string): void {
    this.#undo(writeId, by)
  }

  /** The workspace of an agent. It is opened when it is first used: an agent without notes has no folder. */
  #workspaceOf(agent: string): Workspace {
    return agent === mainAgentId ? this.#workspace : createWorkspace(agentDir(this.#needs.foundation.dataDir, agent))
  }

  #placesFor(agent: Agent): SourceKind[] {
    const sharing = this.#needs.agents.list().filter(({ id, memory }) => id !== mainAgentId && memory === 'shared')
    return placesOf(
      agent,
      sharing.map(({ id }) => id),
    )
  }
}

/** Returns an agent's own workspace, in which main's shared folder can be read too. A file of the agent's own with the same path takes precedence. */
function withShared(own: Workspace, house: Workspace): Workspace {
  const has = (path: string) => own.list().some((file) => file.path === path)
  const refuse = (path: string) => {
    if (isSharedPath(path)) throw new JarvisError('forbidden', 'People and the main agent write the folder shared.')
  }
  return {
    ...own,
    list() {
      const files = own.list()
      const paths = new Set(files.map(({ path }) => path))
      return [...files, ...house.list().filter(({ path }) => isSharedPath(path) && !paths.has(path))]
    },
    read: (path) => (isSharedPath(path) && !has(path) ? house : own).read(path),
    write(path, text, expected) {
      refuse(path)
      return own.write(path, text, expected)
    },
    append(path, text) {
      refuse(path)
      own.append(path, text)
    },
  }
}

/** Returns the id of the agent whose workspace an agent reads and writes: its own, or main. */
const ownerOf = ({ id, memory }: Agent) => (memory === 'own' ? id : mainAgentId)

export type ComposedMemory = HouseMemory
