import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultWeights } from 'hybrid-index'
import { createSynthetic } from 'hybrid-index/synthetic'
import jwt from 'jsonwebtoken'
import { systemClock } from 'node-kit/clock'
import type { MemoryFound, MemoryStatus } from 'protocol'
import { createFileKeeper } from '../../src/memory/file-keeper.ts'
import { Indexer } from '../../src/memory/indexer.ts'
import { localEmbedder } from '../../src/providers/embeddings/local.ts'
import { openMemoryStore } from '../../src/store/sqlite/memory/store.ts'
import { createWorkspace } from '../../src/workspace/files.ts'
import { start } from '../processes.ts'
import { quantile } from '../statistics.ts'
import type { Held } from './probe.ts'

/** Measures the memory's cost in a real server with full chunks: `server.ts DIR CHUNKS`. Its last line is the result as JSON. */
const [dir = '', chunkCount = ''] = process.argv.slice(2)
const chunksInFile = 25
const files = Number(chunkCount) / chunksInFile
const wordsInChunk = 260
const searches = 200
const newFiles = 400
const logBytes = 50 * 2 ** 20
/** How long vectors are watched being made, once all new texts are found by their words. */
const embeddingMs = 20_000

const jwtSecret = 'a secret of the bench, longer than 32 characters'
const token = jwt.sign({ sub: 'bench', role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: '1d' })
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

const synthetic = createSynthetic(1, wordsInChunk)
const folder = join(dir, 'workspace', 'notes')
function writeNotes(from: number, count: number) {
  for (let file = from; file < from + count; file += 1) {
    const parts = Array.from({ length: chunksInFile }, (_, at) => `# Part ${at}\n${synthetic.text(file + at).text}`)
    writeFileSync(join(folder, `${file}.md`), parts.join('\n\n'))
  }
}

/** Indexes the notes as the server would, but for the vectors: so many would take the embedded model hours. */
async function prepare() {
  mkdirSync(folder, { recursive: true })
  writeNotes(0, files)
  const { id, dimensions } = localEmbedder()
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const indexer = new Indexer({
    store: openMemoryStore(join(dir, 'memory.db'), (path) => rmSync(path)),
    keepers: [createFileKeeper(createWorkspace(join(dir, 'workspace')))],
    openEmbedder: async () => ({
      id,
      dimensions,
      embed: async (texts) => texts.map(() => Float32Array.from({ length: dimensions }, random)),
    }),
    batch: 256,
    weights: defaultWeights,
    clock: systemClock,
    changed() {},
    report: (error) => console.error(error),
  })
  await indexer.start()
  await indexer.stop()
}

/** Megabytes of the process and all it started: in memory, and its share of what is shared. */
function memoryOf(pid: number): { rss: number; pss: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (name: string) => (Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1e6
  const own = { rss: megabytes('Rss'), pss: megabytes('Pss') }
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  )
  return children
    .map((child) => memoryOf(Number(child)))
    .reduce((sum, { rss, pss }) => ({ rss: sum.rss + rss, pss: sum.pss + pss }), own)
}

async function measure() {
  const built = (name: string) => fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url))
  const server = await start(built('main'), {
    probe: built('bench/memory/probe'),
    cwd: dir,
    env: { PORT: '0', JARVIS_DATA_DIR: dir, JWT_SECRET: jwtSecret, JARVIS_PASSWORD: 'of the bench', LOG_LEVEL: 'warn' },
  })
  const held = () => server.read() as unknown as Promise<Held>
  async function ask<T>(path: string): Promise<T> {
    const request = () => fetch(`${server.url}/api/memory/${path}`, { headers: { authorization: `Bearer ${token}` } })
    // A connection that was kept may be closed just as it is used again.
    const response = await request().catch(request)
    return (await response.json()) as T
  }
  const until = async (isSo: (status: MemoryStatus) => boolean, look = () => {}) => {
    while (!isSo(await ask<MemoryStatus>('status'))) {
      look()
      await pause(200)
    }
  }
  try {
    // Settled, and the memory's thread not yet started.
    await pause(3_000)
    const idle = memoryOf(server.pid)
    await held()
    await until(({ state }) => state === 'ready')
    const loading = await held()
    const loaded = memoryOf(server.pid)
    const asker = createSynthetic(1, 1)
    const times: number[] = []
    for (let at = 0; at < searches; at += 1) {
      const since = performance.now()
      const { byKeywordsAlone } = await ask<MemoryFound>(`search?q=${encodeURIComponent(asker.query().text)}&limit=10`)
      times.push(performance.now() - since)
      if (byKeywordsAlone) throw new Error('A search was answered by keywords alone.')
      await pause(20)
    }
    const searched = memoryOf(server.pid)
    await held()
    const peak = { rss: 0, pss: 0 }
    const look = () => {
      const now = memoryOf(server.pid)
      peak.rss = Math.max(peak.rss, now.rss)
      peak.pss = Math.max(peak.pss, now.pss)
    }
    const line = `${'2026-11-22T10:00:00 pve1 kernel: disk is full, nothing was written'.padEnd(99)}\n`
    writeFileSync(join(folder, 'pasted.log'), line.repeat(logBytes / line.length))
    writeNotes(files, newFiles)
    const since = performance.now()
    await until(({ sources }) => sources >= files + newFiles + 1, look)
    const takenS = (performance.now() - since) / 1000
    for (const end = performance.now() + embeddingMs; performance.now() < end; await pause(100)) look()
    const indexing = await held()
    return {
      idle,
      loaded,
      searched,
      peak,
      searchP50: quantile(times, 0.5),
      searchP99: quantile(times, 0.99),
      takenS,
      loading,
      indexing,
    }
  } finally {
    await server.stop()
  }
}

if (!readdirSync(dir).includes('memory.db')) await prepare()
console.log(JSON.stringify(await measure()))
process.exit()
