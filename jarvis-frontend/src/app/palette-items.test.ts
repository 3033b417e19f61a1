import { expect, test } from 'vitest'
import { effectOf } from '../../test/scenery/effects.ts'
import { pages } from '../pages.ts'
import { itemsFor, type Known } from './palette-items.ts'

const tool = (name: string, tier: 'green' | 'red') => {
  const { effect } = effectOf(name, {})
  return { name, tier, description: '', inputSchema: {}, effects: effect === undefined ? [] : [effect] }
}
const guest = { vmid: 123, name: 'frigate', type: 'vm', status: 'running', node: 'pve', cpuRatio: 0.97 }
const known = {
  pages: pages.shownIn('palette', 'owner'),
  cluster: { guests: [guest], nodes: [{ name: 'pve', status: 'online' }] } as unknown as NonNullable<Known['cluster']>,
  sessions: [],
  tools: [tool('stop_vm', 'red'), tool('restart_vm', 'red'), tool('start_vm', 'red'), tool('get_storage', 'green')],
  alerts: [],
  mayAsk: true,
  markOf: () => 'warn' as const,
  // A local time, so that the expected dates hold in every time zone.
  now: new Date(2026, 5, 1, 9).getTime(),
}
const labels = (text: string, more: object = {}) => itemsFor(text, { ...known, ...more }).map(({ label }) => label)

test('without words it shows the pages and what can be done', () => {
  expect(labels('')).toEqual(
    expect.arrayContaining(['Chat', 'Journal', 'Settings', 'System', 'New chat', 'Switch theme']),
  )
})

test('a guest is found by name and by id, and what can be asked of it has its tier', () => {
  for (const words of [guest.name, String(guest.vmid)]) {
    const items = itemsFor(words, known)
    expect(items[0]).toMatchObject({ group: 'Guests', label: '123 frigate', note: 'VM on pve, CPU 97 %', mark: 'warn' })
    expect(items.filter(({ group }) => group === 'Ask JARVIS to')).toMatchObject([
      { tier: 'green', ask: `How is guest ${guest.vmid}?`, detail: 'Read, runs' },
      { tier: 'red', ask: `/restart_vm vmid=${guest.vmid}`, detail: 'Ask, waits for you' },
      { tier: 'red', ask: `/stop_vm vmid=${guest.vmid}` },
    ])
  }
  expect(labels(`stop ${guest.name}`)).toEqual([`stop ${guest.vmid} ${guest.name}`])
})

test('a guest is found as everything writes it, with its kind before its id', () => {
  for (const words of ['vm 123', 'VM 123 frigate', 'guest 123', 'guest frig']) {
    expect(itemsFor(words, known)[0], words).toMatchObject({ group: 'Guests', label: '123 frigate' })
  }
  expect(labels('stop vm 123')).toEqual(['stop 123 frigate'])
  // A kind without a number names no guest, and neither does another kind.
  for (const words of ['vm', 'ct 123']) expect(labels(words), words).not.toContain('123 frigate')
})

test('what reads is offered first, where no act is named; a session says its day', () => {
  expect(itemsFor('frigate', known)[1]).toMatchObject({
    label: 'show the status of 123 frigate',
    detail: 'Read, runs',
    ask: 'How is guest 123?',
  })
  expect(labels('stop frigate')).toEqual(['stop 123 frigate'])
  const session = (title: string, hours: number) => ({ id: title, title, updatedAt: known.now - hours * 3_600_000 })
  const sessions = ['a frost', 'b frost', 'c frost'].map((title, at) => session(title, at * 26))
  expect(itemsFor('frost', { ...known, sessions: sessions as never }).map(({ detail }) => detail)).toEqual([
    'today',
    'yesterday',
    '30 May',
  ])
})

test('an open alert is found by its words, and one that somebody took on is not', () => {
  const alert = { id: 'a', sentence: 'pve is at 81 °C.', severity: 'look', state: 'firing' }
  const alerts = [alert, { ...alert, id: 'b', acknowledged: { by: 'mira', at: 1 } }] as never
  expect(itemsFor('81', { ...known, alerts })).toMatchObject([{ group: 'Alerts', mark: 'warn', to: '/alerts?alert=a' }])
})

test('who may only look is offered nothing to ask', () => {
  expect(itemsFor(guest.name, { ...known, mayAsk: false }).some(({ ask }) => ask)).toBe(false)
})

test('tools and pages are found by a part of their name, and nothing by what is nowhere', () => {
  expect(labels('storage')).toEqual(['get_storage'])
  expect(labels('jour')).toEqual(['Journal'])
  expect(labels('no such thing')).toEqual([])
})
