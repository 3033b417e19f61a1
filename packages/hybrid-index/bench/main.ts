import { parseArgs } from 'node:util'
import { createInMemoryStore, type NewChunk, SearchIndex } from '../src/index.ts'
import { createSynthetic, dimensions } from './synthetic.ts'

/** Measures the cost of the index and prints it as a Markdown row: `npm run bench -w hybrid-index [-- --chunks 100000 --words 40]`. */
const { values } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, words: { type: 'string', default: '40' } },
})
const count = Number(values.chunks)
const queries = 300
const exactQueries = 30
const added = 200
const quantile = (times: number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN

const synthetic = createSynthetic(1, Number(values.words))
const chunkOf = (at: number): NewChunk => {
  const { text, vector } = synthetic.text(at)
  return { text, heading: '', kind: 'note', name: String(at), firstLine: 1, lastLine: 1, changedAt: 0, vector }
}
const store = createInMemoryStore(dimensions)
for (let at = 0; at < count; at += 1) store.add([chunkOf(at)])
const index = new SearchIndex(store)
const since = performance.now()
await index.load()
const loadS = (performance.now() - since) / 1_000

const asked = Array.from({ length: queries }, () => synthetic.query())
const ask = ({ text, vector }: (typeof asked)[number]) => {
  const start = performance.now()
  index.search(text, { limit: 10, vector, now: 0 })
  return performance.now() - start
}
asked.slice(0, 50).map(ask)
const times = asked.map(ask)
const found = asked.slice(0, exactQueries).map(({ vector }) => {
  const exact = new Set(store.nearest(vector, 10))
  return index.search('', { limit: 10, vector, now: 0 }).filter(({ id }) => exact.has(id)).length / 10
})
const adding = Array.from({ length: added }, (_, at) => {
  const fresh = chunkOf(at)
  const start = performance.now()
  index.add(store.add([fresh]))
  return performance.now() - start
})
const cells = [
  quantile(times, 0.5).toFixed(1),
  quantile(times, 0.99).toFixed(1),
  (found.reduce((sum, share) => sum + share, 0) / found.length).toFixed(3),
  quantile(adding, 0.5).toFixed(2),
  loadS.toFixed(1),
  (index.bytes / 1e6).toFixed(0),
]
console.log('| chunks | p50 ms | p99 ms | recall@10 | add ms | load s | index MB |\n|---|---|---|---|---|---|---|')
console.log(`| ${values.chunks} of ${values.words} words | ${cells.join(' | ')} |`)
