import { expect, test } from 'vitest'
import { isFaultOf } from './run.ts'

const attached = { server: 'grafana' } as never

test.each([
  ['an answer of a server’s tool with isError', { attached }, { isFault: false, isError: true }, true],
  ['a good answer of a server’s tool', { attached }, { isFault: false, isError: false }, false],
  ['a mistake of whoever called it', { attached }, { isFault: undefined, isError: true }, undefined],
  ['a refusal by a tool of JARVIS', {}, { isFault: false, isError: true }, false],
  ['a tool of JARVIS that threw', {}, { isFault: true, isError: true }, true],
] as const)('%s counts for the breaker as it should', (_, tool, { isFault, isError }, counts) => {
  const output = { text: '', summary: '', isError }
  expect(isFaultOf(tool, { output, outcome: 'failed', durationMs: 1, isFault, isLost: false })).toBe(counts)
})
