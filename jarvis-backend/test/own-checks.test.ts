import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { usualLimits } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { CheckPorts } from '../src/watch/check.ts'
import { OwnChecksFile, parseChecks } from '../src/watch/own-checks.ts'
import { createSimulator } from './support/simulator.ts'

const toolProblem = (name: string) => (name === 'get_storage' ? undefined : 'is the name of no tool')
const known = { taken: new Set(['node-heat']), toolProblem }
const fileOf = (...lines: string[]) =>
  `checks:\n${lines.map((line, index) => (index === 0 ? `  - ${line}` : `    ${line}`)).join('\n')}\n`

test.each([
  [
    'a sample that is not there',
    ['id: a', 'title: A', 'sample: guest/104 warmth', 'above: 1'],
    4,
    /has no field warmth; guest has cpuRatio/,
  ],
  [
    'no such kind',
    ['id: a', 'title: A', 'sample: disk/1 x', 'above: 1'],
    4,
    /must name one of cluster, node, guest, storage/,
  ],
  ['no limit', ['id: a', 'title: A', 'sample: guest/104 cpuRatio'], 2, /needs either above or below/],
  [
    'two limits',
    ['id: a', 'title: A', 'sample: guest/104 cpuRatio', 'above: 1', 'below: 0'],
    2,
    /needs either above or below/,
  ],
  [
    'clears on the bad side',
    ['id: a', 'title: A', 'sample: guest/104 cpuRatio', 'above: 0.5', 'clears: 0.6'],
    6,
    /must be on the good side of 0.5/,
  ],
  ['a time without unit', ['id: a', 'title: A', 'sample: guest/104 cpuRatio', 'above: 0.5', 'for: 10'], 6, /for/],
  ['an id that ships', ['id: node-heat', 'title: A', 'sample: guest/104 cpuRatio', 'above: 0.5'], 2, /is taken/],
  ['neither sample nor tool', ['id: a', 'title: A', 'when: x'], 2, /needs either sample or tool/],
  ['no such tool', ['id: a', 'title: A', 'tool: get_weather', 'when: $result.x > 1'], 4, /is the name of no tool/],
  ['a condition that is none', ['id: a', 'title: A', 'tool: get_storage', 'when: it is hot'], 5, /cannot be read/],
  [
    'a condition of something else',
    ['id: a', 'title: A', 'tool: get_storage', 'when: $node.x > 1'],
    5,
    /there is no \$node/,
  ],
  ['a tool without condition', ['id: a', 'title: A', 'tool: get_storage'], 2, /must be a condition/],
  [
    'a limit beside a tool',
    ['id: a', 'title: A', 'tool: get_storage', 'when: $result.x > 1', 'above: 1'],
    6,
    /means nothing beside tool/,
  ],
  ['an unknown key', ['id: a', 'title: A', 'sample: guest/104 cpuRatio', 'above: 0.5', 'abvoe: 1'], 6, /abvoe/],
])('%s is refused with its line', (_what, lines, line, words) => {
  const read = parseChecks(fileOf(...lines), known)
  if (read.ok) throw new Error('It was accepted.')
  expect(read.problems).toContainEqual(expect.objectContaining({ line, message: expect.stringMatching(words) }))
})

test('an own check looks at samples, for one thing or for all of a kind', async () => {
  const { cluster, api, shell } = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const values: Record<string, number[]> = { 'guest/104': [0.4, 0.9], 'guest/105': [0.9, 0.4], 'guest/120': [0.6] }
  const ports: CheckPorts = {
    state: cluster.state(),
    limits: usualLimits,
    api,
    cluster,
    shell,
    proofs: new Map(),
    own: () => undefined,
    pools: { get: () => undefined, keep() {} },
    ask: async () => ({}),
    samples: (series: string) => values[series] ?? [],
    now: 0,
    signal: new AbortController().signal,
  }
  const look = async (...lines: string[]) => {
    const read = parseChecks(fileOf('id: busy', 'title: Busy', ...lines), known)
    if (!read.ok) throw new Error(JSON.stringify(read.problems))
    const [check] = read.checks
    const { measures } = (await check?.look(ports)) ?? { measures: [] }
    return { check, levels: new Map(measures.map(({ object, level }) => [object.id, level])) }
  }
  const all = await look('sample: guest/* cpuRatio', 'above: 0.8', 'clears: 0.5', 'for: 10 min', 'severity: failed')
  expect(all.check).toMatchObject({ id: 'busy', forMs: 600_000, isOwn: true })
  expect(all.levels.size).toBe(cluster.state().guests.length)
  expect([...all.levels].slice(0, 2).map(([, level]) => level)).toEqual(['unseen', 'unseen'])
  expect([all.levels.get('ct/104'), all.levels.get('ct/105'), all.levels.get('ct/120')]).toEqual([
    'failed',
    'clear',
    'between',
  ])

  const low = await look('sample: guest/104 cpuRatio', 'below: 0.95')
  expect([...low.levels]).toEqual([['ct/104', 'look']])
})

test('a broken file leaves the checks before it in force, and says why', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-checks-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'checks.yaml')
  const own = new OwnChecksFile(path, () => known)
  expect([own.checks(), own.problems(), own.reload()]).toEqual([[], [], true])

  writeFileSync(path, fileOf('id: a', 'title: A', 'sample: guest/104 cpuRatio', 'above: 0.5'))
  expect(own.reload()).toBe(true)
  writeFileSync(path, 'checks:\n  - id: a\n    title: A\n')
  expect(own.reload()).toBe(true)
  expect(own.checks().map(({ id }) => id)).toEqual(['a'])
  expect(own.problems()).toEqual(['checks.yaml:2:5  checks[1] needs either sample or tool.'])

  rmSync(path)
  expect(own.reload()).toBe(true)
  expect([own.checks(), own.problems()]).toEqual([[], []])
})

test('an own check asks a reading tool through the gate, by a condition over its answer', async () => {
  const ports = (answer: Awaited<ReturnType<CheckPorts['ask']>>) =>
    ({ ask: async () => answer }) as unknown as CheckPorts
  const read = parseChecks(
    fileOf('id: t', 'title: Tank', 'tool: get_storage', 'when: $result.storages(name=tank).usedRatio > 0.8'),
    known,
  )
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const [check] = read.checks
  const levelOf = async (usedRatio: unknown) => {
    const looked = await check?.look(ports({ data: { storages: [{ name: 'tank', usedRatio }] } }))
    return looked?.measures.map(({ level, sentence }) => [level, sentence])
  }
  expect(await levelOf(0.9)).toEqual([['look', 'Tank: usedRatio of storage tank is 0.9.']])
  expect(await levelOf(0.5)).toEqual([['clear', 'Tank: usedRatio of storage tank is 0.5.']])
  expect((await levelOf(null))?.[0]?.[0]).toBe('unseen')
  await expect(Promise.resolve(check?.look(ports({ problem: 'pve is away' })))).rejects.toThrow('pve is away')
})
