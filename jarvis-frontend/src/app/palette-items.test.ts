import { expect, test } from 'vitest'
import { itemsFor, type Known } from './palette-items.ts'

const tool = (name: string, tier: 'green' | 'red') => ({ name, tier, description: '', inputSchema: {} })
const guest = { vmid: 123, name: 'frigate', type: 'vm', status: 'running', node: 'pve' }
const known = {
  cluster: { guests: [guest], nodes: [{ name: 'pve', status: 'online' }] } as unknown as NonNullable<Known['cluster']>,
  sessions: [],
  tools: [tool('stop_vm', 'red'), tool('restart_vm', 'red'), tool('start_vm', 'red'), tool('get_storage', 'green')],
  mayAsk: true,
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
    expect(items[0]).toMatchObject({ group: 'Guests', label: `${guest.vmid} ${guest.name}` })
    expect(items.filter(({ group }) => group === 'Ask JARVIS to')).toMatchObject([
      { tier: 'red', ask: `/restart_vm vmid=${guest.vmid}`, detail: 'Ask, waits for you' },
      { tier: 'red', ask: `/stop_vm vmid=${guest.vmid}` },
    ])
  }
  expect(labels(`stop ${guest.name}`)).toEqual([`stop ${guest.vmid} ${guest.name}`])
})

test('who may only look is offered nothing to ask', () => {
  expect(itemsFor(guest.name, { ...known, mayAsk: false }).some(({ ask }) => ask)).toBe(false)
})

test('tools and pages are found by a part of their name, and nothing by what is nowhere', () => {
  expect(labels('storage')).toEqual(['get_storage'])
  expect(labels('jour')).toEqual(['Journal'])
  expect(labels('no such thing')).toEqual([])
})
