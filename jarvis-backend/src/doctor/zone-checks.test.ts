import { expect, test } from 'vitest'
import { zoneChecks } from './zone-checks.ts'

test.each([
  [{ tz: 'Europe/Berlin', zone: 'Europe/Berlin' }, 'ok', /count in Europe\/Berlin, set by TZ/],
  [{ tz: ':Europe/Berlin', zone: 'Europe/Berlin' }, 'ok', /set by TZ/],
  [{ tz: 'UTC', zone: 'UTC', isContainer: true }, 'ok', /set by TZ/],
  [{ tz: undefined, zone: 'UTC', isContainer: true }, 'warn', /count in UTC, the zone of this container/],
  [{ tz: '', zone: 'Etc/UTC', isContainer: true }, 'warn', /zone of this container/],
  [{ tz: undefined, zone: 'Australia/Sydney', isContainer: true }, 'ok', /zone of this machine/],
  [{ tz: undefined, zone: 'UTC', isContainer: false }, 'ok', /zone of this machine/],
  [{ tz: 'Europe/Berln', zone: 'UTC' }, 'warn', /TZ=Europe\/Berln is no name of a time zone.*count in UTC/],
  [{ tz: 'CET-1CEST', zone: 'UTC' }, 'warn', /is no name of a time zone/],
] as const)('%j is %s', (of, health, text) => {
  expect(zoneChecks(of)).toMatchObject([{ health, text: expect.stringMatching(text) }])
})
