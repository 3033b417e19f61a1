import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { example } from '../example.ts'
import { chunkText } from './chunk.ts'
import { createCodes } from './codes.ts'
import { fuse } from './fuse.ts'
import { createInMemoryStore, type NewChunk } from './in-memory-store.ts'
import { Postings } from './postings.ts'
import { type IndexOptions, SearchIndex, type SearchOptions } from './search-index.ts'
import { createSynonyms, othersFor } from './synonyms.ts'
import { ignoredWords, queryWords, stemOf, wordsOf } from './words.ts'

/** The same numbers in every run. */
function randoms(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const always = () => true

test.each([
  ['backups', 'backup'],
  ['failing', 'fail'],
  ['stopped', 'stop'],
  ['boxes', 'box'],
  ['policies', 'policy'],
  ['update', 'updat'],
  ['updated', 'updat'],
  ['services', 'servic'],
  ['nodes', 'node'],
  ['status', 'status'],
  ['process', 'process'],
  ['string', 'string'],
  ['eno1s', 'eno1s'],
])('the stem of %s is %s', (word, stem) => {
  expect(stemOf(word)).toBe(stem)
})

test('addresses, ids, dates and accents are found whole and in parts', () => {
  expect(wordsOf('Café on 10.0.0.5, ct/104, 2026-11-02')).toEqual(
    'cafe on 10.0.0.5 10 0 0 5 ct/104 ct 104 2026-11-02 2026 11 02'.split(' '),
  )
})

test('a question is asked by its telling words, with its negation', () => {
  expect(queryWords('Why should I never reboot the NAS?')).toEqual(['never', 'reboot', 'nas'])
  expect(ignoredWords('Why should I never reboot the NAS?')).toEqual(['why', 'should', 'i', 'the'])
  expect(queryWords('what is it')).toEqual(['what', 'is', 'it'])
  expect(ignoredWords('what is it')).toEqual([])
})

test('words are found by BM25 as a plain count of them would have it', () => {
  const random = randoms(7)
  const texts = Array.from({ length: 400 }, () =>
    Array.from({ length: 5 + Math.floor(random() * 60) }, () => `w${Math.floor(300 ** random())}`),
  )
  const postings = new Postings()
  texts.forEach((words, ordinal) => {
    postings.add(ordinal, words)
  })
  const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length
  for (const query of [['w250'], ['w3', 'w77', 'w140'], ['w299', 'nowhere']]) {
    const used = query.filter((word) => texts.filter((words) => words.includes(word)).length <= texts.length * 0.4)
    const expected = texts
      .map((words, ordinal) => ({
        ordinal,
        score: used.reduce((sum, word) => {
          const times = words.filter((other) => other === word).length
          const count = texts.filter((other) => other.includes(word)).length
          const rarity = Math.log(1 + (texts.length - count + 0.5) / (count + 0.5))
          return sum + (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average))
        }, 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, 10)
    const found = postings.search(query, { limit: 10, isLive: always })
    expect(found.map(({ score }) => score.toFixed(3))).toEqual(expected.map(({ score }) => score.toFixed(3)))
  }
})

test('a list that outgrows its slices and pages still holds every text', () => {
  const postings = new Postings()
  for (let ordinal = 0; ordinal < 200_000; ordinal += 1) {
    postings.add(ordinal, ordinal % 3 === 0 ? ['every', 'every', 'third'] : ['other'])
  }
  expect(postings.search(['third'], { limit: 200_000, isLive: always })).toHaveLength(Math.ceil(200_000 / 3))
  const newest = postings.search(['third'], { limit: 5, isLive: (ordinal) => ordinal > 199_990 })
  expect(newest.map(({ ordinal }) => ordinal)).toEqual([199_998, 199_995, 199_992])
})

test('bit codes find nearly all of the nearest', () => {
  const random = randoms(3)
  const dimensions = 96
  const normal = () => random() + random() + random() + random() - 2
  const topics = Array.from({ length: 30 }, () => Float32Array.from({ length: dimensions }, normal))
  const near = (topic: Float32Array) => topic.map((value) => value + 0.7 * normal() + 0.5)
  const vectors = Array.from({ length: 3_000 }, (_, at) => near(topics[at % topics.length] as Float32Array))
  const centre = new Float32Array(dimensions).fill(0.5)
  const codes = createCodes(dimensions, centre)
  vectors.forEach((vector, ordinal) => {
    codes.add(ordinal, vector)
  })
  const lengths = vectors.map((vector) => Math.hypot(...vector))
  const dot = (one: Float32Array, other: Float32Array) => {
    let sum = 0
    for (let at = 0; at < dimensions; at += 1) sum += (one[at] as number) * (other[at] as number)
    return sum
  }
  let found = 0
  for (const topic of topics) {
    const query = near(topic)
    const exact = vectors
      .map((vector, ordinal) => ({ ordinal, angle: dot(vector, query) / (lengths[ordinal] as number) }))
      .sort((one, other) => other.angle - one.angle)
      .slice(0, 10)
    const candidates = new Set(codes.near(query, 160, always))
    found += exact.filter(({ ordinal }) => candidates.has(ordinal)).length
  }
  expect(found / (topics.length * 10)).toBeGreaterThan(0.95)
  expect(codes.difference(0, 0)).toBe(0)
  expect(codes.difference(0, 30)).toBeLessThan(codes.difference(0, 1))
})

test('ranks are fused by their reciprocals', () => {
  expect(fuse([1, 2], [2, 3], { vector: 0.7, keyword: 0.3 })).toEqual([
    { ordinal: 2, score: 0.7 / 62 + 0.3 / 61, vectorRank: 2, keywordRank: 1 },
    { ordinal: 1, score: 0.7 / 61, vectorRank: 1 },
    { ordinal: 3, score: 0.3 / 62, keywordRank: 2 },
  ])
})

test('a text is cut at its headings, and what it stands under is kept', () => {
  const text = [
    '# Storage',
    '',
    'Local.',
    '',
    '## ZFS',
    'Tank.',
    '```',
    '# no heading',
    '```',
    '# Network',
    'VLAN 20.',
  ].join('\n')
  expect([...chunkText(text)].map(({ heading, firstLine, lastLine }) => [heading, firstLine, lastLine])).toEqual([
    ['Storage', 1, 4],
    ['Storage > ZFS', 5, 9],
    ['Network', 10, 11],
  ])
})

test('pieces are of bounded size, overlap, and leave no line out', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ maxLength: 900 }).map((text) => text.replaceAll('\n', ' ')),
        { maxLength: 60 },
      ),
      (lines) => {
        const covered = new Set<number>()
        for (const piece of chunkText(lines.join('\n'))) {
          expect(piece.text.length).toBeLessThanOrEqual(1_600 + 320)
          for (let line = piece.firstLine; line <= piece.lastLine; line += 1) covered.add(line)
        }
        lines.forEach((line, at) => {
          // A heading alone has nothing to say.
          if (line.trim() !== '') expect(covered).toContain(at + 1)
        })
      },
    ),
    { numRuns: 60 },
  )
})

test('a line longer than a piece is cut where it is', () => {
  const pieces = [...chunkText('x'.repeat(10_000))]
  expect(pieces.length).toBeGreaterThan(6)
  expect(pieces.every(({ firstLine, lastLine }) => firstLine === 1 && lastLine === 1)).toBe(true)
})

const chunk = (text: string, rest: Partial<NewChunk> = {}): NewChunk => ({
  text,
  heading: '',
  kind: 'note',
  name: text,
  firstLine: 1,
  lastLine: 1,
  changedAt: 0,
  ...rest,
})
const angle = (at: number) => Float32Array.of(Math.cos(at), Math.sin(at))
function opened(chunks: NewChunk[], options?: IndexOptions, dimensions?: number) {
  const store = createInMemoryStore(dimensions)
  store.add(chunks)
  const index = new SearchIndex(store, options)
  const texts = (query: string, rest: Partial<SearchOptions> = {}) =>
    index.search(query, { limit: 5, now: 0, ...rest }).map(({ text }) => text)
  return { store, index, texts }
}

test('before it is loaded and after, the index finds the same by words, by meaning and by both', async () => {
  const notes = [
    'the disk of pve2 is full',
    'films stutter at night',
    'a certificate ran out',
    'the ups needs a battery',
  ]
  const { index, texts } = opened(
    notes.map((text, at) => chunk(text, { vector: angle(at) })),
    {},
    2,
  )
  const all = () => [
    texts('which disk is full'),
    texts('', { vector: angle(3), limit: 2 }),
    texts('battery', { vector: angle(3), limit: 2 }),
  ]
  const before = all()
  expect(before).toEqual([[notes[0]], [notes[3], notes[2]], [notes[3], notes[2]]])
  await index.load()
  expect(index.isLoaded).toBe(true)
  expect(all()).toEqual(before)
  expect(() => index.search('disk', { limit: 1, vector: Float32Array.of(1, 0, 0), now: 0 })).not.toThrow()
})

test('near duplicates are folded into the best of them', async () => {
  const { index } = opened([
    chunk('the player was restarted', { name: 'a' }),
    chunk('the player was restarted', { name: 'b' }),
  ])
  await index.load()
  expect(index.search('player', { limit: 5, now: 0 })).toMatchObject([{ folded: 1 }])
})

test('a chunk that was added is found by words and by meaning, and a removed one is not', async () => {
  const { store, index, texts } = opened([chunk('the old router')], {}, 2)
  await index.load()
  index.add(store.add([chunk('the new switch', { vector: angle(1) })]))
  expect([texts('router'), texts('switch'), texts('', { vector: angle(1) })]).toEqual([
    ['the old router'],
    ['the new switch'],
    ['the new switch'],
  ])
  store.remove([1, 99])
  index.remove([1, 99])
  expect(texts('router')).toEqual([])
  expect(store.counts()).toEqual({ chunks: 1 })
  expect(() => store.add([chunk('x', { vector: Float32Array.of(1) })])).toThrow(RangeError)
})

test('a search is restricted to kinds; of equals the newer and the worthier come first', async () => {
  const day = 86_400_000
  const notes = [
    chunk('disk one', { kind: 'log', changedAt: 100 * day }),
    chunk('disk two', { changedAt: 0 }),
    chunk('disk three', { kind: 'rule', changedAt: 0 }),
  ]
  const { index, texts } = opened(notes, { worthOf: ({ kind }) => (kind === 'rule' ? 2 : 1) })
  for (const load of [async () => {}, () => index.load()]) {
    await load()
    expect(texts('disk', { now: 100 * day })[0]).toBe('disk three')
    expect(texts('disk', { now: 100 * day, kinds: ['note', 'log'] })).toEqual(['disk one', 'disk two'])
    expect(texts('disk', { kinds: ['none'] })).toEqual([])
  }
})

test('another word for the same finds a chunk, after those that have the word itself', async () => {
  const synonymsOf = createSynonyms('disk drive\nbroken failed')
  const { index, texts } = opened([chunk('a drive in bay 3'), chunk('the kettle'), chunk('the disk in bay 5')], {
    synonymsOf,
  })
  await index.load()
  expect(texts('Which disks?')).toEqual(['the disk in bay 5', 'a drive in bay 3'])
  expect(othersFor(queryWords('Which disks broken?'), synonymsOf)).toEqual(['driv', 'fail'])
})

test('the example of the README is this file, and finds by words and by meaning', async () => {
  const source = readFileSync(new URL('../example.ts', import.meta.url), 'utf8')
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(source.trim())
  expect(await example()).toEqual(['Power: The UPS lasts eleven minutes.', 'Network: The switch is in the attic.'])
})
