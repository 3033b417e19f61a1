import { expect, test } from 'vitest'
import { steady } from './steady.ts'

test.each<[string, string, string]>([
  ['a time of day', 'Read at 09:14:05.', 'Read at 09:15:12.'],
  ['a date and time', 'at 2026-11-23T09:14:05.120Z', 'at 2026-11-24 10:00:01'],
  ['a date in words', 'since 23 Nov 2026', 'since 24 Nov 2026'],
  ['a Unix time', '"at": 1763888045', '"at": 1763888099123'],
  ['how long ago', 'last seen 36 s ago', 'last seen 1.5 min ago'],
  ['an uptime', '104 jellyfin running, up 12 d 3 h', '104 jellyfin running, up 12 d 4 h'],
  ['an uptime in a field', '"uptime": 93214', '"uptime": 93300'],
  ['a duration', 'No answer after 4.2 s', 'No answer after 5 s'],
  ['a request’s id', 'refused, request 8f3a', 'refused, request 91bc'],
  ['a counter', 'seq=17 netin: 123456', 'seq=18 netin: 123999'],
  ['a task’s id', 'UPID:pve:0001:0A:66AA:qmstart:103:root@pam:', 'UPID:pve:0002:0B:66AB:qmstart:103:root@pam:'],
  [
    'a task’s id of a user with two @',
    'UPID:pve:0001:0A:66AA:qmstart:103:mira+a@example.org@idp!jarvis: runs',
    'UPID:pve:0002:0B:66AB:qmstart:103:mira+a@example.org@idp!jarvis: runs',
  ],
])('%s makes no other result', (_what, one, other) => {
  expect(steady(one)).toBe(steady(other))
})

test.each<[string, string, string]>([
  ['a state', '103 is running', '103 is stopped'],
  ['a progress', 'copied 45 %', 'copied 46 %'],
  ['a size', '12.5 GB of 50 GB', '12.9 GB of 50 GB'],
  ['a number of things', '3 guests', '4 guests'],
  ['a guest', '103 nas', '104 nas'],
  ['an address', '192.0.2.10', '192.0.2.11'],
  ['a temperature', '71 °C', '72 °C'],
])('%s does', (_what, one, other) => {
  expect(steady(one)).not.toBe(steady(other))
})
