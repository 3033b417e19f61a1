import { writeFileSync } from 'node:fs'
import { localEmbedder } from '../../src/providers/embeddings/local.ts'
import {
  createAsker,
  packVectors,
  type QualitySet,
  type Question,
  readChatter,
  readSet,
  readVectors,
  scoreOf,
  vectorsFile,
  type Way,
} from './quality-set.ts'

const ways: readonly Way[] = ['keywords', 'vectors', 'hybrid']

/** The quality of the search as a Markdown table; embeds the set anew, and keeps what the test reads. */
export async function quality(): Promise<string> {
  const short = readSet()
  const full = readSet('full')
  const embedder = localEmbedder()
  const texts = [
    ...new Set([...short.passages, ...full.passages, ...short.questions].map(({ text }) => text)),
    ...readChatter(),
  ]
  const vectors: Float32Array[] = []
  // The model's thread does not keep a process alive.
  const awake = setInterval(() => {}, 1_000)
  for (const text of texts) vectors.push(...(await embedder.embed([text], new AbortController().signal)))
  clearInterval(awake)
  writeFileSync(vectorsFile, packVectors(texts, vectors))
  const kept = readVectors()
  const kinds = [...new Set(short.questions.map(({ kind }) => kind))]
  const lines = [
    ...(await rowsOf(kept, short, [
      ['all', () => true],
      ['tuned on, every other', (_, at) => at % 2 === 0],
      ['held out', (_, at) => at % 2 === 1],
      ...kinds.map((kind): Part => [kind, (each) => each.kind === kind]),
    ])),
    ...(await rowsOf(kept, full, [
      ['full chunks: all', () => true],
      ['full chunks: held out', (_, at) => at % 2 === 1],
      ['full chunks: paraphrase', ({ kind }) => kind === 'paraphrase'],
    ])),
  ]
  return ['| recall@5 · MRR | words alone | vectors alone | hybrid |', '|---|---|---|---|', ...lines].join('\n')
}

type Part = [name: string, has: (question: Question, at: number) => boolean]

async function rowsOf(vectors: Map<string, Float32Array>, set: QualitySet, parts: readonly Part[]): Promise<string[]> {
  const asker = await createAsker(vectors, set)
  const rows = parts.map(([name, has]) => {
    const questions = asker.questions.filter(has)
    const scores = ways.map((way) => scoreOf(questions.map((question) => asker.ask(way, question))))
    const cells = scores.map(({ recallAt5, mrr }) => `${recallAt5.toFixed(3)} · ${mrr.toFixed(3)}`)
    return `| ${name} (${questions.length}) | ${cells.join(' | ')} |`
  })
  asker.close()
  return rows
}
