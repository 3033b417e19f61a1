import type { ChannelRecipientBody } from 'protocol'
import { expect, test } from 'vitest'
import type { Capabilities, Decides } from './channel.ts'
import { type RecipientRights, recipientChange } from './recipient-change.ts'

const before = { decides: 'deny', hidesNames: true, talks: false, isGroup: false } as const
const capabilities = (more: Partial<Capabilities> = {}): Capabilities => ({
  decidesAtMost: 'approve',
  isIdempotent: false,
  pairs: true,
  hidesNames: true,
  talks: { mostChars: 4_000, streams: 'edit', hasVoice: false },
  ...more,
})
type Now = { before?: object; can?: Partial<Capabilities>; atMost?: Decides }
const change = (body: ChannelRecipientBody, { before: was, can, atMost = 'approve' }: Now = {}) =>
  recipientChange({ ...before, ...was }, body, { name: 'Telegram', capabilities: capabilities(can), atMost })

test.each<[name: string, body: ChannelRecipientBody, now: Now, rights: Partial<RecipientRights>, isMore: boolean]>([
  ['nothing', {}, {}, { decides: 'deny', hidesNames: true, talks: false }, false],
  ['approving', { decides: 'approve' }, {}, { decides: 'approve' }, true],
  ['no more deciding', { decides: 'none' }, {}, { decides: 'none' }, false],
  ['names', { hidesNames: false }, {}, { hidesNames: false }, false],
  ['talking', { talks: true }, {}, { talks: true }, true],
  ['talking as before', { talks: true }, { before: { talks: true } }, { talks: true }, false],
  ['no more talking', { talks: false }, { before: { talks: true } }, { talks: false }, false],
  ['another agent', { agent: 'media' }, {}, { agent: 'media' }, true],
  ['the same agent', { agent: 'media' }, { before: { agent: 'media' } }, { agent: 'media' }, false],
  ['the agent of the bindings', { agent: null }, { before: { agent: 'media' } }, { agent: null }, true],
  [
    'what it has beyond what the channel gives now',
    { hidesNames: false },
    { atMost: 'none' },
    { decides: 'deny' },
    false,
  ],
])('a change to %s', (_name, body, now, rights, isMore) => {
  const made = change(body, now)
  expect(made.rights).toMatchObject(rights)
  expect(made.isMore).toBe(isMore)
})

test.each<[name: string, body: ChannelRecipientBody, now: Now, why: RegExp]>([
  ['of a group', { hidesNames: false }, { before: { isGroup: true } }, /can only be ended/],
  ['to talking where the channel only tells', { talks: true }, { can: { talks: undefined } as object }, /only tells/],
  ['to a key of a browser, from elsewhere', { decides: 'approve' }, { can: { subscribes: true } }, /signs with a key/],
  [
    'beyond what the channel can',
    { decides: 'approve' },
    { can: { decidesAtMost: 'deny' }, atMost: 'deny' },
    /deny at most\.$/,
  ],
  [
    'without an address for denials',
    { decides: 'deny' },
    { before: { decides: 'none' }, atMost: 'none' },
    /JARVIS_PUBLIC_URL/,
  ],
])('a change %s is refused', (_name, body, now, why) => {
  expect(() => change(body, now)).toThrow(why)
})
