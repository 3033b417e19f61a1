import { expect, test } from 'vitest'
import { createEndlessWatch, firstRound } from './endless.ts'

/** The watch's verdict on a text that streams in pieces, and the number of characters before it. */
function watched(text: string, mostTokens = 100_000, size = 7) {
  const watch = createEndlessWatch(mostTokens)
  for (let at = 0; at < text.length; at += size) {
    const found = watch(text.slice(at, at + size))
    if (found !== undefined) return { found, at }
  }
  return undefined
}
const sentence = 'I will look at the node now. '
const paragraph = Array.from({ length: 60 }, (_, at) => `Line ${at} of the plan.`).join('\n')
const report = Array.from({ length: 4_000 }, (_, at) => `| vm/${100 + at} | running | ${(at * 37) % 101} % |\n`).join(
  '',
)

test.each([
  ['a sentence', sentence],
  ['a letter', 'a'],
  ['line ends', '\n'],
  ['a paragraph', `${paragraph}\n`],
])('%s again and again is noticed soon, wherever it begins', (_what, unit) => {
  for (const before of ['', 'Here is the answer. ']) {
    const found = watched(before + unit.repeat(Math.ceil(100_000 / unit.length)))
    expect(found?.found).toBe('repeats')
    expect(found?.at).toBeLessThan(20_000)
  }
})

test('a long table, and a sentence that comes some times, are no repetition', () => {
  expect(watched(report)).toBeUndefined()
  expect(watched(sentence.repeat(20) + report.slice(0, 30_000))).toBeUndefined()
})

test('more than was asked for is too long', () => {
  expect(watched(report, 10_000)).toMatchObject({ found: 'too long' })
  expect(watched(report.slice(0, 30_000), 1)).toBeUndefined()
})

test('of what repeats one round stays', () => {
  expect(firstRound(`Well:\n${sentence.repeat(400)}`)).toBe(`Well:\n${sentence}`)
  expect(firstRound(`${paragraph}${'\n'.repeat(9_000)}`)).toBe(`${paragraph}\n`)
  expect(firstRound(report)).toBe(report)
})

test('megabytes cost little', () => {
  const before = process.cpuUsage()
  expect(watched(report.repeat(45), 10_000_000, 60)).toBeUndefined()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(4_000)
})
