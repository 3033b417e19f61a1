import type { ChannelRules } from 'protocol'
import { expect, test } from 'vitest'
import type { Recipient } from './ports.ts'
import { hoursEnd, type Matter, mayDisturb } from './rules.ts'

const at = (time: string, day = 24) => new Date(`2026-11-${day}T${time}:00`).getTime()
const mira: Recipient = {
  id: 'r',
  channel: 'telegram',
  account: 'a',
  person: 'operator',
  user: '7',
  chat: '7',
  name: 'Mira',
  isGroup: false,
  decides: 'deny',
  hidesNames: false,
  talks: false,
  createdAt: 0,
}
const rules = (more: Partial<ChannelRules> = {}): ChannelRules => ({ routes: [], escalation: {}, ...more })
const quiet = rules({ quiet: '23:00-07:00' })
const untilSeven = expect.stringMatching(/^quiet hours until 07:00 \S+$/)

test.each([
  ['23:00-07:00', at('22:59'), undefined],
  ['23:00-07:00', at('23:00'), at('07:00', 25)],
  ['23:00-07:00', at('06:59'), at('07:00')],
  ['23:00-07:00', at('07:00'), undefined],
  ['08:00-22:00', at('12:00'), at('22:00')],
  ['08:00-22:00', at('07:00'), undefined],
])('of the hours %s, an instant knows their end', (hours, now, end) => {
  expect(hoursEnd(hours, now)).toBe(end)
})

const warning: Matter = { kind: 'alert', level: 'warning' }
const failed: Matter = { kind: 'alert', level: 'failed' }
const asked: Matter = { kind: 'card', level: 'card', isAsked: true }
const ofJob: Matter = { kind: 'card', level: 'card' }
const doneJob: Matter = { kind: 'job', level: 'info' }
const failedJob: Matter = { kind: 'job', level: 'warning' }

test.each<[string, Matter, ChannelRules, number, object]>([
  ['with no rules everything is told at once', warning, rules(), at('03:00'), { kind: 'now' }],
  [
    'a warning in quiet hours is held',
    warning,
    quiet,
    at('03:00'),
    { kind: 'held', until: at('07:00'), why: untilSeven },
  ],
  [
    'what failed passes quiet hours',
    failed,
    quiet,
    at('03:00'),
    { kind: 'now', why: 'passed quiet hours: something failed' },
  ],
  [
    'a card that a person asked for passes',
    asked,
    quiet,
    at('03:00'),
    { kind: 'now', why: 'passed quiet hours: a person asked' },
  ],
  ['a card of a job waits', ofJob, quiet, at('03:00'), { kind: 'later', until: at('07:00'), why: untilSeven }],
  ['outside of quiet hours nothing waits', warning, quiet, at('12:00'), { kind: 'now' }],
  [
    'a card waits for those who hear of it first',
    asked,
    rules({ escalation: { telegram: 120 } }),
    at('12:00'),
    { kind: 'later', until: at('12:02'), why: 'nobody answered for 120 s' },
  ],
  [
    'a person too may hear later than others, and the longer time counts',
    asked,
    rules({ escalation: { telegram: 60, operator: 300 } }),
    at('12:00'),
    { kind: 'later', until: at('12:05'), why: 'nobody answered for 300 s' },
  ],
  ['an alert waits for nobody', failed, rules({ escalation: { telegram: 120 } }), at('12:00'), { kind: 'now' }],
  [
    'escalation obeys quiet hours',
    ofJob,
    rules({ quiet: '23:00-07:00', escalation: { telegram: 120 } }),
    at('22:59'),
    { kind: 'later', until: at('07:00', 25), why: untilSeven },
  ],
])('%s', (_what, matter, of, now, expected) => {
  expect(mayDisturb(matter, mira, { rules: of, at: now })).toEqual(expected)
})

const route = (more: object): ChannelRules =>
  rules({ routes: [{ channel: 'telegram', kinds: [], least: 'info', ...more }] })
test.each<[string, ChannelRules, Matter, number, string]>([
  [
    'another channel’s route says nothing of this one',
    rules({ routes: [{ channel: 'ntfy', kinds: [], least: 'failed' }] }),
    warning,
    at('12:00'),
    'now',
  ],
  ['a route for what failed lets no warning through', route({ least: 'failed' }), warning, at('12:00'), 'never'],
  ['a route for what failed lets it through', route({ least: 'failed' }), failed, at('12:00'), 'now'],
  ['a route for cards lets no alert through', route({ kinds: ['card'] }), failed, at('12:00'), 'never'],
  ['without a route, a job that is done is not told of', rules(), doneJob, at('12:00'), 'never'],
  ['without a route, a job that failed is told of', rules(), failedJob, at('12:00'), 'now'],
  ['a route for jobs lets one that is done through', route({ kinds: ['job'] }), doneJob, at('12:00'), 'now'],
  ['a route counts in its hours', route({ hours: '08:00-22:00' }), failed, at('23:00'), 'never'],
  [
    'another person’s route says nothing of this one',
    route({ person: 'psn_ben', least: 'failed' }),
    warning,
    at('12:00'),
    'now',
  ],
])('%s', (_what, of, matter, now, expected) => {
  expect(mayDisturb(matter, mira, { rules: of, at: now }).kind).toBe(expected)
})
