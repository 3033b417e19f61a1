import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createSynthetic, isRelevant, type Synthetic } from 'hybrid-index/synthetic'

/** LanceDB's hybrid search on the same texts and questions: `lancedb.ts MODULES DIR CHUNKS WORDS`. */
const [modules = '', dir = '', chunkCount = '', wordCount = ''] = process.argv.slice(2)
const queries = 300

// It is not among our dependencies: only what is used of it is described here.
type Query = {
  nearestTo(vector: Float32Array): Query
  fullTextSearch(text: string): Query
  rerank(reranker: unknown): Query
  select(columns: string[]): Query
  limit(count: number): Query
  toArray(): Promise<{ id: number }[]>
}
type Table = {
  add(rows: unknown[]): Promise<unknown>
  createIndex(column: string, options?: unknown): Promise<void>
  query(): Query
}
type LanceDb = {
  connect(path: string): Promise<{ createTable(name: string, rows: unknown[]): Promise<Table> }>
  Index: { fts(): unknown; ivfPq(): unknown }
  rerankers: { RRFReranker: { create(): Promise<unknown> } }
}

const main = pathToFileURL(join(modules, 'node_modules/@lancedb/lancedb/dist/index.js')).href
const { connect, Index, rerankers } = (await import(main)) as LanceDb
const synthetic = createSynthetic(1, Number(wordCount))
const all: Synthetic[] = Array.from({ length: Number(chunkCount) }, (_, at) => synthetic.text(at))
const rows = all.map(({ text, vector }, id) => ({ id, text, vector: Array.from(vector) }))
const since = performance.now()
const database = await connect(dir)
const table = await database.createTable('chunks', rows.slice(0, 10_000))
for (let at = 10_000; at < rows.length; at += 10_000) await table.add(rows.slice(at, at + 10_000))
await table.createIndex('text', { config: Index.fts() })
await table.createIndex('vector', { config: Index.ivfPq() })
const buildS = (performance.now() - since) / 1000

const reranker = await rerankers.RRFReranker.create()
const ask = ({ text, vector }: Synthetic) =>
  table.query().nearestTo(vector).fullTextSearch(text).rerank(reranker).select(['id']).limit(10).toArray()
const asker = createSynthetic(1, 1)
const asked = Array.from({ length: queries }, () => asker.query())
for (const query of asked.slice(0, 50)) await ask(query)
const times: number[] = []
let relevant = 0
for (const query of asked) {
  const start = performance.now()
  const found = await ask(query)
  times.push(performance.now() - start)
  relevant += found.filter(({ id }) => isRelevant(all[id] ?? query, query)).length / 10
}
times.sort((one, other) => one - other)
const fresh = asker.text(0)
const adding = performance.now()
await table.add([{ id: all.length, text: fresh.text, vector: Array.from(fresh.vector) }])
console.log(
  JSON.stringify({
    p50: times[Math.floor(queries * 0.5)],
    p99: times[Math.floor(queries * 0.99)],
    relevant: relevant / queries,
    addMs: performance.now() - adding,
    buildS,
  }),
)
process.exit()
