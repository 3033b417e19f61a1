import type { AttachedServer } from 'protocol'
import { expect, test } from 'vitest'
import { linesOf } from './mcp-servers.ts'

const at = Date.UTC(2026, 10, 29, 14, 5)
const server = (more: object) =>
  ({ name: 'notes', type: 'http', state: 'connected', tools: [], refused: [], ...more }) as unknown as AttachedServer

test('an attached server is listed with its state, since when it is gone or back, its sign-in and its refused tools', () => {
  const refused = [{ toolName: 'add\u001b[2J', problem: 'It has no input schema.' }]
  const signIn = { state: 'more', scopes: [], wants: ['write'], isRenewed: true }
  const [head, wants, odd] = linesOf(server({ reconnectedAt: at, tools: [{}], refused, signIn }))
  expect([head, wants]).toEqual([
    'notes  http  connected  asks for more rights  1 tool  reconnected 2026-11-29 14:05 UTC',
    '    it asks for write',
  ])
  expect(odd).toContain('is refused: It has no input schema.')
  expect(odd).not.toContain('\u001b')
  const lastError = { at, message: 'It cannot be reached.' }
  expect(linesOf(server({ state: 'failed', goneSince: at, retryAt: at + 60_000, lastError }))).toEqual([
    'notes  http  failed  gone since 2026-11-29 14:05 UTC  tried again 2026-11-29 14:06 UTC',
    '    It cannot be reached.',
  ])
})
