import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from 'node-kit/clock'
import { AgentId, mainAgentId } from 'protocol'
import { createRedactor } from 'redaction/redact'
import { agentDir } from './agents/agent-dir.ts'
import { readProxies } from './lib/proxies.ts'
import { goOutBy } from './lib/way-out.ts'
import { createFileKeeper, createSharedKeeper } from './memory/file-keeper.ts'
import { Indexer, type Keeper } from './memory/indexer.ts'
import { LastingIndexer } from './memory/lasting-indexer.ts'
import type { Embedded, FromWorker, MemoryRequests, MemoryWorkerData, ToWorker } from './memory/messages.ts'
import { agentOfKind } from './memory/owner.ts'
import type { Embedder, SourceKind } from './memory/ports.ts'
import { localEmbedder } from './providers/embeddings/local.ts'
import { openAiEmbedder } from './providers/embeddings/openai-compatible.ts'
import { isDamage } from './store/sqlite/memory/index-file.ts'
import { DatabaseKeepers } from './store/sqlite/memory/keepers.ts'
import { openMemoryStore } from './store/sqlite/memory/store.ts'
import { vectorsMissing } from './store/sqlite/memory/vectors.ts'
import { createWorkspace } from './workspace/files.ts'
import { watchFolders } from './workspace/watch.ts'

/** The thread of the memory's index. `workerData` has its paths and settings; messages are its requests. */
const { workspaceDir, databasePath, indexPath, embedder: wanted, weights, proxies } = workerData as MemoryWorkerData
const say = (message: FromWorker) => parentPort?.postMessage(message)
const report = (error: unknown, message: string) =>
  say({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error), message })

/** An edit is indexed once the file has not changed for this long, ms. */
const settleMs = 400
/** Time limit of a batch of embeddings for a program, ms. */
const slowestEmbedMs = 60_000
/** Interval at which sessions and the journal are checked for changes, ms. */
const lookEveryMs = 60_000
const sayEveryMs = 250
/** Largest share of the thread's time for progress reports, 0..1. With 100,000 passages a count takes long. */
const sayShare = 0.1

/** Maximum number of agents whose texts are indexed. There may be more folders than agents, because some belong to removed agents. */
const mostAgents = 100
const agentsDir = join(dirname(workspaceDir), 'agents')
for (const dir of [workspaceDir, agentsDir]) mkdirSync(dir, { recursive: true })
const database = databasePath === ':memory:' ? undefined : new DatabaseKeepers(databasePath)

const local = localEmbedder(wanted.kind === 'local' ? wanted.folder : undefined)
/** Redacts texts, because notes may hold secrets and the embedding server may belong to others. */
const redact = createRedactor([]).text
/** Texts per batch. A search waits for the current batch, so a batch is small if this machine computes it. */
const batch = wanted.kind === 'openai' ? 64 : 2
async function openEmbedder(): Promise<Embedder> {
  if (wanted.kind !== 'openai') return local
  if (proxies !== undefined) await goOutBy(readProxies(proxies))
  return openAiEmbedder({ ...wanted, redact, used: (embedded, isPartial) => say({ embedded, isPartial }) })
}

let opened: Promise<Embedder> | undefined
/** Embeds texts for programs with the model that the memory uses. */
async function embed(texts: readonly string[]): Promise<Embedded> {
  opened ??= openEmbedder()
  const embedder = await opened.catch((error: unknown) => {
    opened = undefined
    throw error
  })
  const vectors: Float32Array[] = []
  for (let at = 0; at < texts.length; at += batch) {
    vectors.push(...(await embedder.embed(texts.slice(at, at + batch), AbortSignal.timeout(slowestEmbedMs))))
  }
  return { id: embedder.id, vectors }
}

let nextSayAt = Number.NEGATIVE_INFINITY
let due: NodeJS.Timeout | undefined
/** Reports progress at most a few times a second, and always the final state. */
function changed() {
  const tell = () => {
    due = undefined
    const since = performance.now()
    const known = indexer.status()
    if (known !== undefined) say({ changed: known.status, kinds: known.kinds })
    const now = performance.now()
    nextSayAt = now + Math.max(sayEveryMs, (now - since) / sayShare)
  }
  if (due !== undefined) return
  due = setTimeout(tell, Math.max(0, nextSayAt - performance.now()))
}

const place = {
  identity: () => statSync(indexPath, { throwIfNoEntry: false })?.ino.toString(),
  remove() {
    for (const end of ['', '-wal', '-shm']) rmSync(`${indexPath}${end}`, { force: true })
  },
  isDamage,
}
const indexer = new LastingIndexer({
  place,
  open: (remade, reported) =>
    new Indexer({
      store: openMemoryStore(indexPath, () => {
        place.remove()
        remade('Its index could not be read.')
      }),
      keepers: keepersOf,
      openEmbedder: wanted.kind === 'none' ? undefined : openEmbedder,
      batch,
      weights,
      trouble: vectorsMissing(),
      clock: systemClock,
      changed,
      report: reported,
    }),
  now: Date.now,
  report,
})

/** Makes the keepers of main and of each agent: the files of its folder, and the conversations with it. The journal has one keeper. */
function keepersOf(known: readonly SourceKind[]): Keeper[] {
  const folders = readdirSync(agentsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && AgentId.safeParse(entry.name).success)
    .map(({ name }) => name)
  const agents = new Set([mainAgentId, ...folders, ...(database?.agents() ?? []), ...known.map(agentOfKind)])
  return [
    createSharedKeeper(filesOf(mainAgentId)),
    ...[...agents]
      .slice(0, mostAgents)
      .flatMap((agent) => [
        createFileKeeper(filesOf(agent), agent),
        ...(database === undefined ? [] : [database.sessionsOf(agent)]),
      ]),
    ...(database === undefined ? [] : [database.journal]),
  ]
}

/** Reads an agent's files. A missing folder is not created. */
const filesOf = (agent: string): Parameters<typeof createFileKeeper>[0] => {
  const dir = agentDir(dirname(workspaceDir), agent)
  return existsSync(dir) ? createWorkspace(dir) : { list: () => [], read: () => ({ text: '' }) }
}

let settling: NodeJS.Timeout | undefined
function lookNow(): void {
  clearTimeout(settling)
  settling = undefined
  for (const watcher of watchers) watcher.refresh()
  look()
}
const watch = (dir: string) =>
  watchFolders(
    dir,
    () => {
      clearTimeout(settling)
      settling = setTimeout(lookNow, settleMs)
    },
    (error) => report(error, 'edits in the workspace are found once a minute'),
  )
const watchers = [watch(workspaceDir), watch(agentsDir)]
const sync = () => indexer.use((current) => current.sync())
const look = () => void sync().catch((error: unknown) => report(error, 'the memory could not look for changes'))
const looking = setInterval(look, lookEveryMs)
void indexer.start()

parentPort?.on('message', ({ id, method, input }: ToWorker) => {
  answer(method, input).then(
    (output) => say({ id, output }),
    (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) }),
  )
})

async function answer(method: ToWorker['method'], input: unknown): Promise<unknown> {
  switch (method) {
    case 'search': {
      const { query, limit, ...how } = input as MemoryRequests['search']['input']
      // An answer does not wait until an edit has settled.
      if (how.isRecall === true && settling !== undefined) lookNow()
      return indexer.use((current) => current.search(query, limit, how))
    }
    case 'embed':
      return embed((input as MemoryRequests['embed']['input']).texts)
    case 'passages':
      return indexer.use((current) => current.passages((input as { name: string }).name))
    case 'sync':
      return sync()
    case 'reindex':
      return indexer.use((current) => current.reindex())
    case 'status':
      return indexer.use(() => indexer.status()?.status)
    case 'stop':
      clearInterval(looking)
      clearTimeout(settling)
      clearTimeout(due)
      for (const watcher of watchers) watcher.close()
      await indexer.stop()
      database?.close()
      process.nextTick(() => process.exit())
      return undefined
    default:
      return method satisfies never
  }
}
