import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSynthetic, dimensions, isRelevant, type Synthetic } from 'hybrid-index/synthetic'
import { createMemoryIndex } from '../../src/memory/memory-index.ts'
import { openMemoryStore } from '../../src/store/sqlite/memory/store.ts'
import { quantile } from '../statistics.ts'

/** One process of the memory's bench: `speed.ts build|ask DIR CHUNKS WORDS`. What it measured is its last line, as JSON. */
const [task = '', dir = '', chunkCount = '', wordCount = ''] = process.argv.slice(2)
const count = Number(chunkCount)
const path = join(dir, 'memory.db')
const queries = 600
const exactQueries = 60
const added = 200
const chunksInSource = 10

const open = () => openMemoryStore(path, (broken) => rmSync(broken, { force: true }))
const megabytes = (bytes: number) => bytes / 1e6

function chunkOf({ text }: Synthetic, line: number) {
  const hash = createHash('sha256').update(text).digest()
  return { text, heading: '', firstLine: line, lastLine: line, hash, isFromTools: false, meaning: { text, hash } }
}

function build() {
  const synthetic = createSynthetic(1, Number(wordCount))
  const store = open()
  store.useModel('synthetic', dimensions)
  const since = performance.now()
  for (let at = 0; at < count; at += chunksInSource) {
    const texts = Array.from({ length: chunksInSource }, (_, offset) => synthetic.text(at + offset))
    const chunks = texts.map(chunkOf)
    const name = `memory/${at}.md`
    store.replace({ kind: 'file', name, title: name, checksum: String(at), changedAt: 0 }, chunks)
    store.addVectors(texts.map(({ vector }, place) => ({ hash: chunks[place]?.hash ?? Buffer.alloc(0), vector })))
  }
  store.settleModel()
  store.close()
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  return { buildS: (performance.now() - since) / 1000, diskMb: megabytes(bytes) }
}

async function ask() {
  const collect = globalThis.gc ?? (() => {})
  collect()
  const idle = process.memoryUsage().rss
  const store = open()
  store.useModel('synthetic', dimensions)
  const index = createMemoryIndex(store)
  const since = performance.now()
  await index.load()
  const loadS = (performance.now() - since) / 1000
  // Questions of their own seed would have topics of their own: the same one, past the texts.
  const synthetic = createSynthetic(1, 1)
  const asked = Array.from({ length: queries }, () => synthetic.query())
  for (const { text, vector } of asked.slice(0, 100)) index.search(text, { limit: 10, vector, now: 0 })
  const times = asked.map(({ text, vector }) => {
    const start = performance.now()
    index.search(text, { limit: 10, vector, now: 0 })
    return performance.now() - start
  })
  collect()
  const rss = process.memoryUsage().rss - idle

  const truth = createSynthetic(1, Number(wordCount))
  const byText = new Map<string, Synthetic>()
  const all = Array.from({ length: count }, (_, at) => {
    const each = truth.text(at)
    byText.set(each.text, each)
    return each.vector
  })
  const share = (hits: readonly { text: string }[], query: Synthetic) => {
    const relevant = hits.filter(({ text }) => isRelevant(byText.get(text) ?? query, query) && byText.has(text))
    return relevant.length / 10
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const relevance = (wanted: (query: Synthetic) => { text: string; vector?: Float32Array }) =>
    mean(
      asked.map((query) => {
        const { text, vector } = wanted(query)
        return share(index.search(text, { limit: 10, vector, now: 0 }), query)
      }),
    )
  const texts = [...byText.keys()]
  const recall = mean(
    asked.slice(0, exactQueries).map(({ vector }) => {
      const scored = all.map((each, at) => ({ at, angle: dot(each, vector) }))
      const exact = new Set(
        scored
          .sort((one, other) => other.angle - one.angle)
          .slice(0, 10)
          .map(({ at }) => texts[at]),
      )
      return index.search('', { limit: 10, vector, now: 0 }).filter(({ text }) => exact.has(text)).length / 10
    }),
  )

  const adding: number[] = []
  for (let at = 0; at < added; at += 1) {
    const fresh = synthetic.text(at)
    const chunk = chunkOf({ ...fresh, text: `${fresh.text} ${at}` }, 1)
    const start = performance.now()
    const name = `memory/new-${at}.md`
    index.add(store.replace({ kind: 'file', name, title: name, checksum: '', changedAt: 0 }, [chunk]).added)
    index.add(store.addVectors([{ hash: chunk.hash, vector: fresh.vector }]))
    adding.push(performance.now() - start)
  }
  const countsSince = performance.now()
  store.counts()
  const countsMs = performance.now() - countsSince
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    recall,
    relevant: relevance(({ text, vector }) => ({ text, vector })),
    relevantWords: relevance(({ text }) => ({ text })),
    relevantVectors: relevance(({ vector }) => ({ text: '', vector })),
    addMs: quantile(adding, 0.5),
    addP99: quantile(adding, 0.99),
    loadS,
    rssMb: megabytes(rss),
    countsMs,
  }
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < dimensions; at += 1) sum += (one[at] as number) * (other[at] as number)
  return sum
}

const tasks = { build, ask }
if (!Object.hasOwn(tasks, task)) throw new Error(`There is no task ${task}.`)
console.log(JSON.stringify(await tasks[task as keyof typeof tasks]()))
