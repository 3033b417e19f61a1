import type { ChannelDelivery, ChannelInfo, ChannelRecipient } from 'protocol'
import { expect, test } from 'vitest'
import {
  atMostOf,
  endOf,
  hearersOf,
  isWithin,
  lineOf,
  markOf,
  mayNow,
  peopleOf,
  type Route,
  routeWords,
} from './words.ts'

const mira: ChannelRecipient = {
  id: 'r',
  person: 'operator',
  personName: 'mira',
  user: '7',
  name: 'Mira',
  isGroup: false,
  decides: 'deny',
  hidesNames: false,
  talks: true,
  createdAt: 0,
}
const channel = (more: Partial<ChannelInfo> = {}): ChannelInfo => ({
  id: 'telegram',
  name: 'Telegram',
  readers: '',
  atMost: 'approve',
  pairs: true,
  talks: true,
  groups: true,
  state: 'on',
  subscribes: false,
  place: 'api.telegram.org',
  settings: [],
  recipients: [mira],
  waiting: 0,
  ...more,
})
const sent: ChannelDelivery = {
  id: 'o',
  seq: 1,
  channel: 'ntfy',
  to: 'mira',
  act: 'deliver',
  kind: 'notice',
  level: 'info',
  title: 'T',
  at: 0,
  state: 'sent',
  endedAt: 400,
  attempts: 1,
}

test.each<[Partial<ChannelInfo>, string, string]>([
  [{}, 'api.telegram.org · mira', 'ok'],
  [{ state: 'off' }, 'not set up', 'stopped'],
  [{ recipients: [] }, 'api.telegram.org · nobody is paired', 'ok'],
  [{ problem: 'it answered 503', waiting: 2 }, 'api.telegram.org · mira · 2 waiting · it answered 503', 'warn'],
  [{ recipients: [mira, { ...mira, isGroup: true, name: 'Family' }] }, 'api.telegram.org · mira, Family', 'ok'],
  [{ pairs: false, subscribes: true, recipients: [mira, mira] }, 'api.telegram.org · mira', 'ok'],
  [{ pairs: false, subscribes: true, recipients: [] }, 'api.telegram.org · no browser yet', 'stopped'],
  [{ pairs: false, recipients: [{ ...mira, hidesNames: true }] }, 'api.telegram.org · names hidden', 'ok'],
])('of %j a row says %s', (more, line, mark) => {
  expect([lineOf(channel(more)), markOf(channel(more))]).toEqual([line, mark])
})

test.each<[Partial<ChannelDelivery>, string]>([
  [{}, 'delivered in 0.4 s'],
  [{ act: 'revise' }, 'edited after the decision'],
  [{ act: 'withdraw' }, 'taken back'],
  [{ state: 'failed', attempts: 3, why: 'no STARTTLS' }, '3 tries, failed: no STARTTLS'],
  [{ state: 'held', attempts: 0, why: 'quiet hours' }, 'held: quiet hours'],
  [{ why: 'passed quiet hours: something failed' }, 'delivered in 0.4 s: passed quiet hours: something failed'],
])('a message of %j is told as %s', (more, words) => {
  expect(endOf({ ...sent, ...more })).toBe(words)
})

test('a group can have a route, and waits for no card', () => {
  const told = [channel({ recipients: [mira, { ...mira, id: 'g', isGroup: true, name: 'Family' }] }), channel()]
  expect(peopleOf(told)).toEqual([['operator', 'mira']])
  expect(hearersOf(told)).toEqual([
    ['operator', 'mira'],
    ['g', 'Family'],
  ])
})

test('what a channel may now is the most that one of its recipients may', () => {
  expect(mayNow(channel())).toBe('Deny')
  expect(mayNow(channel({ recipients: [] }))).toBe('Tell')
  expect([atMostOf(channel()), atMostOf(channel({ atMost: 'none' }))]).toEqual(['up to Approve', 'only Tell'])
  expect([isWithin('approve', 'deny'), isWithin('none', 'deny')]).toEqual([false, true])
})

test.each<[Partial<Route>, string]>([
  [{}, 'Telegram: everything'],
  [{ kinds: ['alert', 'job'], least: 'warning' }, 'Telegram: alerts, jobs that ended; at least warnings'],
  [{ hours: '08:00-22:00', person: 'operator' }, 'Telegram: everything; 08:00-22:00; for mira'],
  [{ channel: 'gone', person: 'per_ben' }, 'gone: everything; for per_ben, who is not reached there'],
])('the route %j is told as %s', (more, words) => {
  expect(routeWords({ channel: 'telegram', kinds: [], least: 'info', ...more }, [channel()])).toBe(words)
})
