import { expect, test } from 'vitest'
import { silentCut } from './silent-cut.ts'

const body = (chars: number) => ({ messages: [{ role: 'user' as const, content: 'x'.repeat(chars) }] })

test.each<[why: string, chars: number, prompt: number, isCut: boolean]>([
  ['all of it was read', 66_000, 18_000, false],
  ['it stops at 4,096', 66_000, 4_096, true],
  ['it stops below, at a whole message', 66_000, 3_100, true],
  ['an old server stops at 2,048', 66_000, 2_048, true],
  ['few characters make few tokens', 20_000, 4_096, false],
  ['only what was not cached is counted', 66_000, 40, false],
  ['nothing is counted', 66_000, 0, false],
])('%s', (_, chars, prompt, isCut) => {
  expect(silentCut(body(chars), prompt)?.readTokens).toBe(isCut ? prompt : undefined)
})
