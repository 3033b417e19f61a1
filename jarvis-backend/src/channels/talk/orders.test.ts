import { expect, test } from 'vitest'
import { namedAgent, orderOf } from './orders.ts'

test.each<[text: string, order: object | undefined]>([
  ['/new', { does: 'new', rest: '' }],
  ['/new  why is pve hot?\nSay.', { does: 'new', rest: 'why is pve hot?\nSay.' }],
  ['/stop@jarvis_homelab_bot', { does: 'stop' }],
  [' /waiting ', { does: 'waiting' }],
  ['/start', { does: 'help' }],
  ['/stop it now', undefined],
  ['/stop_vm vmid=103', undefined],
  ['/status node=pve', undefined],
  ['/constructor', undefined],
  ['stop', undefined],
  ['what is /new for?', undefined],
])('%j', (text, order) => {
  expect(orderOf(text)).toEqual(order)
})

test.each<[text: string, agent: string | undefined]>([
  ['@media is it scanned?', 'media'],
  ['@media: is it scanned?', 'media'],
  ['@media', undefined],
  ['mail me @media now', undefined],
])('%j is for %j', (text, agent) => {
  expect(namedAgent(text)).toBe(agent)
})
