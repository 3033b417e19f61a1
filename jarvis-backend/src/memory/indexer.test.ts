import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultWeights } from 'hybrid-index'
import { expect, onTestFinished, test } from 'vitest'
import { every } from '../../test/support/real-time.ts'
import type { Clock } from '../lib/clock.ts'
import { openAiEmbedder } from '../providers/embeddings/openai-compatible.ts'
import { openMemoryStore } from '../store/sqlite/memory/store.ts'
import { Indexer, type Keeper } from './indexer.ts'
import { LastingIndexer } from './lasting-indexer.ts'
import type { Embedder } from './ports.ts'

/** Time that passes when it is told to. */
function handClock(): Clock & { pass(): void } {
  let due: (() => void)[] = []
  return {
    now: () => 0,
    after(_ms, run) {
      due.push(run)
      return () => {
        due = due.filter((each) => each !== run)
      }
    },
    pass() {
      for (const run of due.splice(0)) run()
    },
  }
}

const notes = (texts: Record<string, string>): Keeper => ({
  kind: 'file',
  list: () =>
    Object.entries(texts).map(([name, text]) => ({
      name,
      title: name,
      checksum: text,
      changedAt: 0,
      read: () => ({ parts: [{ text, isFromTools: false }] }),
    })),
})

type Answer = (texts: string[], response: ServerResponse) => void
const vectors =
  (dimensions: number): Answer =>
  (texts, response) =>
    response.end(JSON.stringify({ data: texts.map((text, index) => ({ index, embedding: spread(text, dimensions) })) }))
const spread = (text: string, dimensions: number) =>
  Array.from({ length: dimensions }, (_, at) => Math.sin(text.length * (at + 1)))

/** A server with `/v1/embeddings` that answers as `answer` says now. */
async function embeddings(first: Answer) {
  const state = { answer: first }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    state.answer((JSON.parse(body) as { input: string[] }).input, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { state, open: (model = 'one') => openAiEmbedder({ baseUrl, model }) }
}

/** Conversations as their keeper gives them; a later one is newer. */
const talks = (meanings: readonly string[]): Keeper => ({
  kind: 'session',
  list: () =>
    meanings.map((meaning, at) => ({
      name: `ses_${at}`,
      title: meaning,
      checksum: meaning,
      changedAt: at,
      read: () => ({ parts: [{ text: `Operator: ${meaning}`, isFromTools: false, meaning }] }),
    })),
})

/** A model in this process that remembers what it read. @param embed called before it answers. */
function model(embed: (texts: readonly string[]) => void = () => {}) {
  const seen: string[] = []
  const opened: Embedder = {
    id: 'near',
    dimensions: 4,
    async embed(texts) {
      embed(texts)
      seen.push(...texts)
      return texts.map((text) => Float32Array.from(spread(text, 4)))
    },
  }
  return { seen, open: async () => opened }
}

function start(parts: {
  openEmbedder: () => Promise<Embedder>
  keeper?: Keeper
  talks?: Keeper
  path?: string
  clock?: Clock
  changed?: () => void
}) {
  const indexer = new Indexer({
    store: openMemoryStore(parts.path ?? ':memory:', () => {}),
    keepers: [
      ...(parts.talks === undefined ? [] : [parts.talks]),
      parts.keeper ?? notes({ 'a.md': 'The UPS lasts eleven minutes.', 'b.md': 'Jellyfin is ct/104.' }),
    ],
    openEmbedder: parts.openEmbedder,
    batch: 1,
    weights: defaultWeights,
    clock: parts.clock ?? handClock(),
    changed: parts.changed ?? (() => {}),
    report(error) {
      throw error
    },
  })
  return { indexer, ready: indexer.start() }
}

test.each<[string, Answer, RegExp]>([
  ['answers 500', (_, response) => response.writeHead(500).end('no memory left'), /answered 500\. no memory left/],
  ['answers with too few vectors', (_, response) => response.end('{"data":[]}'), /one vector for each text/],
  ['answers with no JSON', (_, response) => response.end('<html>'), /one vector for each text/],
  ['hangs up', (_, response) => response.destroy(), /did not answer/],
])('where the model %s, words are searched, it is said, and meaning comes back', async (_, broken, why) => {
  const clock = handClock()
  const server = await embeddings(broken)
  const { indexer, ready } = start({ openEmbedder: server.open, clock })
  await ready
  expect(await indexer.search('ups minutes', 5)).toMatchObject({ byKeywordsAlone: true, hits: [{ name: 'a.md' }] })
  expect(indexer.status()).toMatchObject({ embedded: 0, problem: expect.stringMatching(why) })
  server.state.answer = vectors(4)
  clock.pass()
  await indexer.sync()
  expect(indexer.status()).toMatchObject({ embedded: 2, problem: undefined })
  expect(await indexer.search('ups minutes', 5)).toMatchObject({ byKeywordsAlone: false })
  await indexer.stop()
})

test('a model that is slow to answer a search is not waited for, and one that is slow to start holds up nothing', async () => {
  const clock = handClock()
  const server = await embeddings(vectors(4))
  const { indexer, ready } = start({ openEmbedder: server.open, clock })
  await ready
  const asked = new Promise<void>((heard) => {
    server.state.answer = () => heard()
  })
  const found = indexer.search('how long without power', 5)
  await asked
  clock.pass()
  expect(await found).toMatchObject({ byKeywordsAlone: true })
  expect(indexer.status().problem).toMatch(/took too long/)
  await indexer.stop()
})

test('another model takes over in the background once every text has its vector', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-memory-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'memory.db')
  const server = await embeddings(vectors(4))
  const first = start({ openEmbedder: server.open, path })
  await first.ready
  await first.indexer.stop()

  let release = () => {}
  const half = new Promise<void>((reached) => {
    let answers = 0
    server.state.answer = (texts, response) => {
      answers += 1
      // The first asks for the dimensions, the second for one of two texts.
      if (answers <= 2) return vectors(6)(texts, response)
      release = () => vectors(6)(texts, response)
      server.state.answer = vectors(6)
      reached()
    }
  })
  const second = start({ openEmbedder: () => server.open('two'), path })
  await half
  expect(second.indexer.status()).toMatchObject({ state: 'indexing', embedded: 1, chunks: 2 })
  expect(await second.indexer.search('jellyfin', 5)).toMatchObject({ byKeywordsAlone: true, hits: [{ name: 'b.md' }] })
  release()
  await second.ready
  expect(second.indexer.status()).toMatchObject({ state: 'ready', embedded: 2, problem: undefined })
  expect(await second.indexer.search('jellyfin', 5)).toMatchObject({ byKeywordsAlone: false })
  await second.indexer.stop()
})

test('a model that was replaced under its name by one of other dimensions is taken up anew', async () => {
  const clock = handClock()
  const texts = { 'a.md': 'one', 'b.md': 'two' }
  const server = await embeddings(vectors(4))
  const { indexer, ready } = start({ openEmbedder: server.open, clock, keeper: notes(texts) })
  await ready
  server.state.answer = vectors(6)
  texts['b.md'] = 'another text'
  await indexer.sync()
  expect(indexer.status().problem).toMatch(/6 dimensions, where it had 4/)
  clock.pass()
  await indexer.sync()
  expect(indexer.status()).toMatchObject({ embedded: 2, problem: undefined })
  expect(await indexer.search('another', 5)).toMatchObject({ byKeywordsAlone: false, hits: [{ name: 'b.md' }, {}] })
  await indexer.stop()
})

test('a text that comes while others are given vectors is found by its words at once', async () => {
  const texts: Record<string, string> = { 'a.md': 'The UPS lasts.', 'b.md': 'Jellyfin is ct/104.' }
  const held: (() => void)[] = []
  const model: Embedder = {
    id: 'slow',
    dimensions: 4,
    embed: async (given) => {
      await new Promise<void>((go) => held.push(go))
      return given.map((text) => Float32Array.from(spread(text, 4)))
    },
  }
  const { indexer, ready } = start({ openEmbedder: async () => model, keeper: notes(texts) })
  while (held.length === 0) await new Promise(setImmediate)
  texts['c.md'] = 'The NAS is fuchsbau.'
  const taken = indexer.sync()
  held.shift()?.()
  while (held.length === 0) await new Promise(setImmediate)
  expect(indexer.passages('c.md')).toHaveLength(1)
  onTestFinished(every(0, () => held.shift()?.()))
  await Promise.all([ready, taken])
  expect(indexer.status()).toMatchObject({ chunks: 3, embedded: 3 })
})

test('notes have vectors at once, and a conversation when somebody searches, who waits for a few of them', async () => {
  const { seen, open } = model()
  const { indexer, ready } = start({
    openEmbedder: open,
    keeper: notes({ 'a.md': 'a note' }),
    talks: talks(['first', 'second', 'second', 'third']),
  })
  await ready
  expect(seen).toEqual(['a note'])
  expect(indexer.status()).toMatchObject({ state: 'ready', embeddable: 1, embedded: 1, waiting: 4 })
  // Only notes are recalled for an answer.
  await indexer.search('what to recall', 5, { kinds: ['file'] })
  expect(seen).toEqual(['a note', 'what to recall'])
  const found = await indexer.search('anything', 5)
  expect(seen.slice(2)).toEqual(['anything', 'third', 'second', 'first'])
  expect(found.hits.filter(({ vectorRank }) => vectorRank !== undefined).length).toBeGreaterThan(1)
  expect(found).not.toHaveProperty('waiting')
  expect(indexer.status()).toMatchObject({ embeddable: 5, embedded: 5, waiting: 0 })
  await indexer.stop()
})

test('of many conversations a search reads the newest, so many a minute, and says how many it had by words alone', async () => {
  const { seen, open } = model()
  let now = 0
  let changes = 0
  const { indexer, ready } = start({
    openEmbedder: open,
    changed: () => {
      changes += 1
    },
    talks: talks(Array.from({ length: 350 }, (_, at) => `talk ${at}`)),
    clock: { ...handClock(), now: () => now },
  })
  await ready
  seen.length = 0
  const searched = async () => {
    const found = await indexer.search('talk 7', 5)
    await indexer.sync()
    return { found, waiting: indexer.status().waiting }
  }
  expect(await searched()).toMatchObject({ found: { waiting: 350, byKeywordsAlone: false }, waiting: 50 })
  expect(seen.slice(0, 3)).toEqual(['talk 7', 'talk 349', 'talk 348'])
  expect(await searched()).toMatchObject({ found: { waiting: 50 }, waiting: 50 })
  // A listener that looks again at each change must not cause the next change.
  const before = changes
  await indexer.search('talk 7', 5)
  await new Promise(setImmediate)
  expect(changes).toBe(before)
  now = 60_000
  expect((await searched()).waiting).toBe(0)
  expect((await searched()).found).not.toHaveProperty('waiting')
  await indexer.stop()
})

test.each([
  ['a conversation', 'a talk', { byKeywordsAlone: false, waiting: 1 }],
  ['the query', 'anything', { byKeywordsAlone: true }],
])(
  'where the model failed at %s while somebody searched, conversations are read all the same',
  async (_, failing, said) => {
    const clock = handClock()
    let isBroken = true
    const { open } = model(([text]) => {
      if (isBroken && text === failing) throw new Error('out of memory')
    })
    const { indexer, ready } = start({ openEmbedder: open, talks: talks(['a talk']), clock })
    await ready
    const found = indexer.search('anything', 5)
    expect(await found).toMatchObject(said)
    expect(indexer.status().problem).toMatch(/out of memory/)
    isBroken = false
    clock.pass()
    await indexer.sync()
    expect(indexer.status()).toMatchObject({ waiting: 0, problem: undefined })
    await indexer.stop()
  },
)

test('of texts that are taken together, one that fails is named and leaves no half, and the others are found', async () => {
  const reports: string[] = []
  const texts: Record<string, string> = {
    'a.md': 'The UPS lasts.',
    'b.md': 'Jellyfin is ct/104.',
    'c.md': 'A NAS hums.',
  }
  let isBroken = true
  const keeper: Keeper = {
    kind: 'file',
    *list() {
      for (const source of notes(texts).list()) {
        const second = {
          isFromTools: false,
          get text(): string {
            if (isBroken && source.name === 'b.md') throw new Error('unreadable')
            return 'and more'
          },
        }
        yield { ...source, read: () => ({ parts: [...source.read().parts, second] }) }
      }
    },
  }
  const store = openMemoryStore(':memory:', () => {})
  const indexer = new Indexer({
    store,
    keepers: [keeper],
    openEmbedder: undefined,
    batch: 1,
    weights: defaultWeights,
    clock: handClock(),
    changed() {},
    report: (error, message) => reports.push(`${message}: ${error}`),
  })
  const found = async (query: string) => (await indexer.search(query, 5)).hits.map(({ name }) => name)
  await indexer.start()
  expect(reports).toEqual(['b.md could not be brought up to date in the memory: Error: unreadable'])
  expect(store.counts()).toMatchObject({ sources: 2, chunks: 4 })
  expect([await found('ups'), await found('jellyfin'), await found('nas')]).toEqual([['a.md'], [], ['c.md']])
  // With it go a text that is gone, and one that changed.
  delete texts['a.md']
  texts['c.md'] = 'A NAS sings.'
  isBroken = false
  await indexer.sync()
  expect([await found('ups'), await found('jellyfin'), await found('sings')]).toEqual([[], ['b.md'], ['c.md']])
  expect(reports).toHaveLength(1)
  await indexer.stop()
})

test('an index that cannot be read any more is made again from its sources, and what was asked is answered', async () => {
  const reports: string[] = []
  let opened = 0
  const lasting = new LastingIndexer({
    place: {
      identity: () => 'the same file',
      remove() {},
      isDamage: (error) => error instanceof Error && error.message === 'malformed',
    },
    open(_, report) {
      const store = openMemoryStore(':memory:', () => {})
      opened += 1
      if (opened === 1)
        store.views = () => {
          throw new Error('malformed')
        }
      return new Indexer({
        store,
        keepers: [notes({ 'a.md': 'The UPS lasts eleven minutes.' })],
        openEmbedder: undefined,
        batch: 1,
        weights: defaultWeights,
        clock: handClock(),
        changed() {},
        report,
      })
    },
    now: () => 7,
    report: (_error, message) => reports.push(message),
  })
  await lasting.start()
  await lasting.use((indexer) => indexer.search('ups', 5))
  await lasting.use((indexer) => indexer.sync())
  expect(await lasting.use((indexer) => indexer.search('ups', 5))).toMatchObject({ hits: [{ name: 'a.md' }] })
  expect(lasting.status()?.status).toMatchObject({ chunks: 1, remade: { at: 7, why: 'Its index was damaged.' } })
  expect(reports).toEqual(['the memory is made again from its sources'])
  await lasting.stop()
})
