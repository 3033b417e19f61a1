import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createMemoryIndex } from '../../src/memory/memory-index.ts'
import { createRecall } from '../../src/memory/recall.ts'
import { smallTalk } from '../../src/memory/small-talk.ts'
import { openMemoryStore } from '../../src/store/sqlite/memory/store.ts'

/** A homelab's notes, cut into passages, and questions to them, each with the passage that answers it. */
export type Passage = { id: string; heading: string; text: string }
export type Question = { kind: string; answer: string; text: string }

const file = (name: string) => new URL(name, import.meta.url)
export const vectorsFile = file('vectors.bin')
const dimensions = 512
const hashBytes = 8

export type QualitySet = { passages: Passage[]; questions: Question[] }
/** Passages under one heading are joined up to so many characters: as full as chunks get. */
const mostChars = 1_550

/** Short passages, as notes have them; or the same joined into full chunks, where a question's answer is a part of one. */
export function readSet(form: 'short' | 'full' = 'short'): QualitySet {
  const set = readPassages()
  return form === 'short' ? set : joined(set)
}

function joined({ passages, questions }: QualitySet): QualitySet {
  const full: Passage[] = []
  const chunkOf = new Map<string, string>()
  for (const passage of passages) {
    const last = full.at(-1)
    if (last?.heading === passage.heading && last.text.length + passage.text.length < mostChars) {
      last.text += `\n${passage.text}`
    } else full.push({ ...passage })
    chunkOf.set(passage.id, full.at(-1)?.id ?? '')
  }
  return { passages: full, questions: questions.map((each) => ({ ...each, answer: chunkOf.get(each.answer) ?? '' })) }
}

function readPassages(): QualitySet {
  const passages: Passage[] = []
  let heading = ''
  for (const line of readFileSync(file('passages.txt'), 'utf8').trim().split('\n')) {
    if (line.startsWith('# ')) heading = line.slice(2)
    else {
      const [id = '', text = ''] = line.split(' | ')
      passages.push({ id, heading, text })
    }
  }
  const questions = readFileSync(file('questions.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [kind = '', answer = '', text = ''] = line.split(' | ')
      return { kind, answer, text }
    })
  return { passages, questions }
}

const keyOf = (text: string) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, hashBytes * 2)

/** Messages that no note of the set answers: greetings, thanks, and questions about something else. */
export const readChatter = (): string[] => readFileSync(file('chatter.txt'), 'utf8').trim().split('\n')

/** Vectors of the embedded model by text; one signed byte a dimension. */
export function readVectors(): Map<string, Float32Array> {
  const bytes = readFileSync(vectorsFile)
  const found = new Map<string, Float32Array>()
  for (let at = 0; at < bytes.length; at += hashBytes + dimensions) {
    const values = new Int8Array(bytes.subarray(at + hashBytes, at + hashBytes + dimensions))
    found.set(bytes.toString('hex', at, at + hashBytes), Float32Array.from(values))
  }
  return found
}

export function packVectors(texts: readonly string[], vectors: readonly Float32Array[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text, at) => {
      const vector = vectors[at] ?? new Float32Array(dimensions)
      const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      return [Buffer.from(keyOf(text), 'hex'), Buffer.from(Int8Array.from(vector, (value) => (value / largest) * 127))]
    }),
  )
}

export type Way = 'keywords' | 'vectors' | 'hybrid'
/** `rank`: of the right passage, from 1; infinite where it is not among the first 20. */
export type Placed = Question & { rank: number }

/** Asks every question in one of three ways. @throws Error where the vectors kept are not those of the set. */
export async function createAsker(vectors: Map<string, Float32Array>, { passages, questions }: QualitySet) {
  const store = openMemoryStore(':memory:', () => {})
  store.useModel('local', dimensions)
  const hashed = (text: string) => {
    const hash = createHash('sha256').update(text).digest()
    return { hash, meaning: { text, hash } }
  }
  const chunks = passages.map((passage, at) => ({
    text: passage.text,
    heading: passage.heading,
    firstLine: at + 1,
    lastLine: at + 1,
    ...hashed(passage.text),
    isFromTools: false,
  }))
  store.replace({ kind: 'file', name: 'notes.md', title: 'notes.md', checksum: '', changedAt: 0 }, chunks)
  const vectorOf = (text: string) => {
    const vector = vectors.get(keyOf(text))
    if (vector === undefined) throw new Error(`No vector for ${JSON.stringify(text)}: run npm run bench -- quality.`)
    return vector
  }
  store.addVectors(
    passages.map((passage, at) => ({ hash: chunks[at]?.hash ?? Buffer.alloc(0), vector: vectorOf(passage.text) })),
  )
  const index = createMemoryIndex(store)
  await index.load()
  const textOf = new Map(passages.map(({ id, text }) => [id, text]))
  return {
    questions,
    ask(way: Way, question: Question, weights?: { vector: number; keyword: number }): Placed {
      const hits = index.search(way === 'vectors' ? '' : question.text, {
        limit: 20,
        vector: way === 'keywords' ? undefined : vectorOf(question.text),
        now: 0,
        weights,
      })
      const place = hits.findIndex(({ text }) => text === textOf.get(question.answer))
      return { ...question, rank: place === -1 ? Number.POSITIVE_INFINITY : place + 1 }
    },
    /** The ids of the passages that are recalled for a message, best first. */
    async recalled(message: string): Promise<string[]> {
      const judge = { ignored: smallTalk }
      const call = async () => ({
        hits: index.search(message, { limit: 20, vector: vectorOf(message), now: 0, judge }),
      })
      const memory = { call, status: () => undefined, kinds: () => ['file'] as const, stop: async () => {} }
      const { items } = await createRecall(memory as never)(message, { kinds: ['file'], mayRecall: () => false })
      return items.map(({ text }) => passages.find((passage) => passage.text === text)?.id ?? '')
    },
    close: () => store.close(),
  }
}

/** The share of questions whose passage is among the first five, and the mean of 1 / rank. */
export function scoreOf(placed: readonly Placed[]): { recallAt5: number; mrr: number } {
  const mean = (value: (each: Placed) => number) =>
    placed.reduce((sum, each) => sum + value(each), 0) / Math.max(1, placed.length)
  return { recallAt5: mean(({ rank }) => (rank <= 5 ? 1 : 0)), mrr: mean(({ rank }) => 1 / rank) }
}
