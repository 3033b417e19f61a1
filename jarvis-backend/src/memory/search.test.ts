import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openMemoryStore } from '../store/sqlite/memory/store.ts'
import { dailyAddition, ownHeading, partsOf } from './daily.ts'
import { createMemoryIndex } from './memory-index.ts'
import type { NewChunk } from './ports.ts'

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
  const index = createMemoryIndex(store)
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
  const index = createMemoryIndex(store)
  await index.load()
  expect(index.search('jellyfin', { limit: 5, now: 0 })).toMatchObject([{ folded: 1 }])
})

test('what was written in another word for the same is found, after what has the word itself', async () => {
  const store = openMemoryStore(':memory:', () => {})
  const texts = ['a drive broke in bay 3', 'the kettle is green', 'the disk in bay 5 broke']
  store.replace({ kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 }, texts.map(chunk))
  const index = createMemoryIndex(store)
  const found = () => index.search('Which disks failed?', { limit: 5, now: 0 }).map(({ text }) => text)
  expect(found().toSorted()).toEqual([texts[0], texts[2]])
  await index.load()
  expect(found()).toEqual([texts[2], texts[0]])
})

test('a text that was replaced or removed is not found any more', async () => {
  const store = openMemoryStore(':memory:', () => {})
  const source = { kind: 'file', name: 'a.md', title: 'a.md', checksum: '1', changedAt: 0 } as const
  store.replace(source, [chunk('the old router')])
  const index = createMemoryIndex(store)
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
