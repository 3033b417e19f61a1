import { minuteMs, type SampleStore } from 'homelab-ports/samples'
import { expect, test } from 'vitest'
import type { MemoryStore, NewChunk, Source } from '../../src/memory/ports.ts'

export function sampleStoreContract(open: () => SampleStore) {
  const at = Date.UTC(2026, 10, 1)
  const node = (cpuRatio: number) => ({ name: 'node/pve', values: [cpuRatio, 0.5, 1, 50, 1] })
  const cpuOf = (store: SampleStore) =>
    [...store.read(['node/pve'], { stepMs: minuteMs, from: at, count: 3 })].flatMap(([, values]) =>
      values.map(([cpuRatio]) => cpuRatio?.toFixed(3)),
    )

  test('a minute comes back, what the cluster remembers fills only gaps, and another cluster’s is forgotten', () => {
    const store = open()
    store.keepOf(['https://pve:8006', 'https://agent:8006'])
    expect([...store.read(['node/pve'], { stepMs: minuteMs, from: at, count: 3 })]).toEqual([])
    store.keep(at, [node(0.5)])
    store.fill([{ minutes: [at, at + 2 * minuteMs], samples: [node(0.25)] }])
    expect(cpuOf(store)).toEqual(['0.500', undefined, '0.250'])
    store.keepOf(['https://agent:8006'])
    expect(cpuOf(store)).toEqual(['0.500', undefined, '0.250'])
    store.keepOf(['demo'])
    expect(cpuOf(store)).toEqual([])
  })
}

export function memoryStoreContract(open: () => MemoryStore) {
  const source = (name: string, checksum = 'c1'): Source => ({
    kind: 'file',
    name,
    title: name,
    checksum,
    changedAt: 10,
  })
  const chunk = (text: string): NewChunk => {
    const hash = Buffer.from(text)
    return { text, heading: '', firstLine: 1, lastLine: 1, hash, isFromTools: false, meaning: { text, hash } }
  }
  const vectors = (...of: [text: string, x: number, y: number][]) =>
    of.map(([text, x, y]) => ({ hash: Buffer.from(text), vector: Float32Array.of(x, y) }))
  const opened = () => {
    const store = open()
    store.useModel('test/2d', 2)
    return store
  }

  test('a source is replaced whole, found by its words, and removed', () => {
    const store = opened()
    const { added } = store.replace(source('a.md'), [chunk('ups battery'), chunk('backup window')])
    expect([added.length, store.has('file'), store.has('session')]).toEqual([2, true, false])
    expect(store.checksums('file')).toEqual(new Map([['a.md', 'c1']]))
    expect(store.matching(['battery'], 5)).toEqual([added[0]?.id])
    const next = store.replace(source('a.md', 'c2'), [chunk('generator')], 'cut short')
    expect(next.removed.sort()).toEqual(added.map(({ id }) => id).sort())
    expect([store.matching(['battery'], 5), store.problems()]).toEqual([[], [{ name: 'a.md', problem: 'cut short' }]])
    expect(store.chunksOf('a.md').map(({ text }) => text)).toEqual(['generator'])
    expect(store.remove('a.md')).toEqual(next.added.map(({ id }) => id))
    expect(store.counts()).toMatchObject({ sources: 0, chunks: 0 })
  })

  test('what fails within a transaction leaves nothing behind, and what is distrusted looks changed', () => {
    const store = opened()
    store.replace(source('a.md'), [chunk('ups')])
    const work = () => {
      store.remove('a.md')
      throw new Error('no')
    }
    expect(() => store.together(work)).toThrow('no')
    expect(store.counts().chunks).toBe(1)
    store.distrust()
    expect(store.checksums('file').get('a.md')).not.toBe('c1')
    expect(store.counts().chunks).toBe(1)
  })

  test('vectors are of one model, and the nearest comes first', () => {
    const store = opened()
    const ids = store.replace(source('a.md'), [chunk('ups'), chunk('backup')]).added.map(({ id }) => id)
    const [first] = store.withoutVector(0, 1)
    expect([first?.text, store.withoutVector(first?.chunkId ?? 0, 10).map(({ text }) => text)]).toEqual([
      'ups',
      ['backup'],
    ])
    store.addVectors(vectors(['ups', 1, 0], ['backup', 0, 1]))
    store.settleModel()
    expect(store.withoutVector(0, 10)).toEqual([])
    expect(store.nearest(Float32Array.of(0.1, 1), 2)).toEqual([ids[1], ids[0]])
    expect(store.servingModel()).toMatchObject({ id: 'test/2d', dimensions: 2 })
    store.useModel('test/other', 2)
    expect(store.servingModel()?.id).toBe('test/2d')
    expect(store.withoutVector(0, 10)).toHaveLength(2)
  })
}
