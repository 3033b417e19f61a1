import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemoryStore } from '../store/sqlite/memory/store.ts'
import { chunkText } from './chunk.ts'
import { createCodes } from './codes.ts'
import { dailyAddition, ownHeading, partsOf } from './daily.ts'
import { fuse } from './fuse.ts'
import type { NewChunk } from './ports.ts'
import { createPostings } from './postings.ts'
import { createSearchIndex } from './search-index.ts'
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
  const postings = createPostings()
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
    const found = postings.search(query, 10, always)
    expect(found.map(({ score }) => score.toFixed(3))).toEqual(expected.map(({ score }) => score.toFixed(3)))
  }
})

test('a list that outgrows its slices and pages still holds every text', () => {
  const postings = createPostings()
  for (let ordinal = 0; ordinal < 200_000; ordinal += 1) {
    postings.add(ordinal, ordinal % 3 === 0 ? ['every', 'every', 'third'] : ['other'])
  }
  expect(postings.search(['third'], 200_000, always)).toHaveLength(Math.ceil(200_000 / 3))
  expect(postings.search(['third'], 5, (ordinal) => ordinal > 199_990).map(({ ordinal }) => ordinal)).toEqual([
    199_998, 199_995, 199_992,
  ])
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
  const angle = (one: Float32Array, other: Float32Array) => {
    let dot = 0
    for (let at = 0; at < dimensions; at += 1) dot += (one[at] as number) * (other[at] as number)
    return dot / Math.hypot(...one) / Math.hypot(...other)
  }
  let found = 0
  for (const topic of topics) {
    const query = near(topic)
    const exact = vectors
      .map((vector, ordinal) => ({ ordinal, angle: angle(vector, query) }))
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

test('what JARVIS wrote of a day stands apart from what people wrote', () => {
  let text = '- Anna called.\n'
  text += dailyAddition(text, '- 14:00 Asked: "x"', 'jarvis')
  text += dailyAddition(text, '- 14:05 Asked: "y"', 'jarvis')
  text += dailyAddition(text, '- New UPS.', 'notes')
  expect(text.match(new RegExp(ownHeading, 'g'))).toHaveLength(1)
  expect(
    partsOf(text).map(({ isFromTools, text }) => [isFromTools, text.includes('Asked'), text.includes('UPS')]),
  ).toEqual([
    [false, false, false],
    [true, true, false],
    [false, false, true],
  ])
})

const chunk = (text: string, line = 1): NewChunk => {
  const hash = createHash('sha256').update(text).digest()
  return { text, heading: '', firstLine: line, lastLine: line, hash, isFromTools: false, meaning: { text, hash } }
}

test('the store answers as the index in memory does, while that is not loaded', async () => {
  const store = openMemoryStore(':memory:', () => {})
  store.useModel('test/2d', 2)
  const texts = [
    'the disk of pve2 is full',
    'jellyfin stutters at night',
    'a certificate ran out',
    'the ups needs a battery',
  ]
  store.replace({ kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 }, texts.map(chunk))
  store.addVectors(
    texts.map((text, at) => ({ hash: chunk(text).hash, vector: Float32Array.of(Math.cos(at), Math.sin(at)) })),
  )
  const index = createSearchIndex(store)
  const ask = (query: string, vector?: Float32Array) =>
    index.search(query, { limit: 2, vector, now: 0 }).map(({ text }) => text)
  const before = [ask('which disk is full'), ask('battery', Float32Array.of(Math.cos(3), Math.sin(3)))]
  await index.load()
  expect([ask('which disk is full'), ask('battery', Float32Array.of(Math.cos(3), Math.sin(3)))]).toEqual(before)
  expect(before[0]).toEqual([texts[0]])
  expect(before[1]).toEqual([texts[3], texts[2]])
})

test('near duplicates are folded into the best of them', async () => {
  const store = openMemoryStore(':memory:', () => {})
  store.replace({ kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 }, [
    chunk('jellyfin was restarted'),
  ])
  store.replace({ kind: 'file', name: 'b.md', title: 'b.md', checksum: '1', changedAt: 0 }, [
    chunk('jellyfin was restarted'),
  ])
  const index = createSearchIndex(store)
  await index.load()
  expect(index.search('jellyfin', { limit: 5, now: 0 })).toMatchObject([{ folded: 1 }])
})

test('what was written in another word for the same is found, after what has the word itself', async () => {
  const store = openMemoryStore(':memory:', () => {})
  const texts = ['a drive broke in bay 3', 'the kettle is green', 'the disk in bay 5 broke']
  store.replace({ kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 }, texts.map(chunk))
  const index = createSearchIndex(store)
  const found = () => index.search('Which disks failed?', { limit: 5, now: 0 }).map(({ text }) => text)
  expect(found().toSorted()).toEqual([texts[0], texts[2]])
  await index.load()
  expect(found()).toEqual([texts[2], texts[0]])
})

test('a text that was replaced or removed is not found any more', async () => {
  const store = openMemoryStore(':memory:', () => {})
  const source = { kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 } as const
  store.replace(source, [chunk('the old router')])
  const index = createSearchIndex(store)
  await index.load()
  const { removed, added } = store.replace(source, [chunk('the new switch')])
  index.remove(removed)
  index.add(added)
  const found = (query: string) => index.search(query, { limit: 5, now: 0 }).length
  expect([found('router'), found('switch')]).toEqual([0, 1])
  index.remove(store.remove('a.md'))
  expect(found('switch')).toBe(0)
})

test('vectors of the model before serve until every text has one of the new', () => {
  const store = openMemoryStore(':memory:', () => {})
  store.useModel('old', 2)
  store.replace({ kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 }, [
    chunk('one'),
    chunk('two', 2),
  ])
  store.addVectors([{ hash: chunk('one').hash, vector: Float32Array.of(1, 0) }])
  store.useModel('new', 3)
  expect(store.servingModel()?.id).toBe('old')
  expect(store.withoutVector(0, 10)).toHaveLength(2)
  store.addVectors([chunk('one'), chunk('two')].map(({ hash }) => ({ hash, vector: Float32Array.of(1, 0, 0) })))
  expect(store.settleModel()).toBe(true)
  expect(store.servingModel()).toMatchObject({ id: 'new', dimensions: 3 })
})
