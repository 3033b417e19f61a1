import type { ToolInfo } from 'jarvis-backend/protocol'
import { expect, test } from 'vitest'
import { argumentHint, complete } from './complete.ts'

const tools: ToolInfo[] = [
  {
    name: 'restart_vm',
    description: 'Reboot one virtual machine. Waits for a person.',
    tier: 'red',
    inputSchema: {
      properties: { node: { type: 'string' }, vmid: { type: 'integer' }, force: { type: 'boolean' } },
      required: ['vmid'],
    },
  },
  { name: 'get_vms', description: 'List virtual machines.', tier: 'green', inputSchema: { properties: {} } },
]
const nouns = [
  { label: '123 frigate', detail: 'VM on pve', insert: '123 frigate' },
  { label: 'pve', detail: 'node', insert: 'pve' },
]
const at = (text: string, cursor = text.length) => complete(text, cursor, tools, nouns)
const labels = (text: string) => at(text)?.suggestions.map((suggestion) => suggestion.label)

test('a slash at the start lists the tools with their tiers', () => {
  expect(labels('/')).toEqual(['/restart_vm', '/get_vms'])
  expect(at('/')?.suggestions[0]).toMatchObject({
    tier: 'red',
    insert: '/restart_vm vmid=',
    detail: 'Reboot one virtual machine.',
  })
})

test('what is typed narrows the tools, beginnings first', () => {
  expect(labels('/get')).toEqual(['/get_vms'])
  expect(labels('/vm')).toEqual(['/restart_vm', '/get_vms'])
})

test('after a tool its arguments are offered, each once, needed ones first', () => {
  expect(labels('/restart_vm ')).toEqual(['vmid=', 'node=', 'force='])
  expect(labels('/restart_vm vmid=123 ')).toEqual(['node=', 'force='])
  expect(labels('/restart_vm vmid=123 f')).toEqual(['force='])
  expect(labels('/restart_vm vmid=')).toEqual([])
})

test('the hint names every argument', () => {
  expect(argumentHint(tools[0] as ToolInfo)).toBe('vmid=integer  [node=string]  [force=boolean]')
})

test('an at sign offers nodes and guests', () => {
  expect(labels('what about @fri')).toEqual(['123 frigate'])
  expect(at('what about @fri')).toMatchObject({ from: 11, to: 15 })
})

test.each(['hello', 'a/b', 'me@home', '/unknown x'])('%s completes nothing', (text) => {
  expect(at(text)).toBeUndefined()
})
