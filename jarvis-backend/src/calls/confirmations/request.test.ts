import { expect, test } from 'vitest'
import type { Judgement } from '../judgement.ts'
import type { StoredConfirmation } from '../ports.ts'
import { type DecideRequest, RequestChecks } from './request.ts'

const scope = { of: 'files', id: 'path/compose/a', at: '/srv/compose/a', words: 'changes of files' } as const
const request = {
  toolUseId: 'tu_1',
  confirmed: true,
  by: 'operator',
  grant: { minutes: 30, uses: 20, scope: scope.id },
}

/** @param now the call's verdict at the approval */
function check({ card = {}, now, ...more }: Partial<DecideRequest> & { card?: object; now?: unknown } = {}) {
  const judged = (now ?? { kind: 'ready', grantScopes: [scope] }) as Judgement
  const checks = new RequestChecks({
    judge: () => judged,
    decisions: { check: () => expect.fail('Nothing is signed here.') },
    mayBreakGlass: () => false,
    redactValue: (value) => value,
  })
  const stored = {
    card: { isGrantable: true, scope: { id: scope.id, words: scope.words }, ...card },
    sessionId: 'ses_1',
  }
  return checks.check(stored as StoredConfirmation, { ...request, ...more })
}

test('a grant for a folder is made of what the call touches at the approval', () => {
  expect(check().scope).toEqual(scope)
  expect(check({ grant: { uses: 1 } }).scope).toBeUndefined()
})

test.each<[string, Parameters<typeof check>[0]]>([
  ['over a channel', { via: 'telegram' }],
  ['with a denial', { confirmed: false }],
  ['for another folder', { grant: { ...request.grant, scope: 'path/compose' } }],
  ['where the card offers none', { card: { scope: undefined } }],
  ['where the stored card was widened', { card: { scope: { id: 'path/compose', words: scope.words } } }],
  [
    'where card and request were widened',
    { card: { scope: { id: 'path', words: '' } }, grant: { ...request.grant, scope: 'path' } },
  ],
  ['where the call asks for another reason by now', { now: { kind: 'ready', grantScopes: [] } }],
  ['where the call is refused by now', { now: { kind: 'blocked' } }],
  ['where the page is gone', { now: { kind: 'invalid' } }],
  ['where the card must be asked each time', { card: { isGrantable: undefined } }],
])('none is made %s', (_, given) => {
  expect(() => check(given)).toThrow(/^grant/)
})
