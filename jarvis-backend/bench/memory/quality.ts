import { writeFileSync } from 'node:fs'
import { localEmbedder } from '../../src/providers/embeddings/local.ts'
import {
  createAsker,
  embedded,
  packVectors,
  readSet,
  readVectors,
  scoreOf,
  vectorsFile,
  type Way,
} from './quality-set.ts'

const ways: readonly Way[] = ['keywords', 'vectors', 'hybrid']

/** The quality of the search as a Markdown table; embeds the set anew, and keeps what the test reads. */
export async function quality(): Promise<string> {
  const { passages, questions } = readSet()
  const embedder = localEmbedder()
  const texts = [...passages.map(embedded), ...questions.map(({ text }) => text)]
  const vectors: Float32Array[] = []
  // The model's thread does not keep a process alive.
  const awake = setInterval(() => {}, 1_000)
  for (const text of texts) vectors.push(...(await embedder.embed([text], new AbortController().signal)))
  clearInterval(awake)
  writeFileSync(vectorsFile, packVectors(texts, vectors))
  const asker = await createAsker(readVectors())
  const kinds = [...new Set(questions.map(({ kind }) => kind))]
  const sets: [string, typeof questions][] = [
    ['all', asker.questions],
    ['tuned on (every other)', asker.questions.filter((_, at) => at % 2 === 0)],
    ['held out', asker.questions.filter((_, at) => at % 2 === 1)],
    ...kinds.map((kind): [string, typeof questions] => [kind, asker.questions.filter((each) => each.kind === kind)]),
  ]
  const lines = sets.map(([name, set]) => {
    const scores = ways.map((way) => scoreOf(set.map((question) => asker.ask(way, question))))
    const cells = scores.map(({ recallAt5, mrr }) => `${recallAt5.toFixed(3)} · ${mrr.toFixed(3)}`)
    return `| ${name} (${set.length}) | ${cells.join(' | ')} |`
  })
  asker.close()
  return ['| recall@5 · MRR | BM25 alone | vectors alone | hybrid |', '|---|---|---|---|', ...lines].join('\n')
}
