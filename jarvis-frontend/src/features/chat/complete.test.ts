import type { ToolInfo } from 'protocol'
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
  { kind: 'vm', label: '123 frigate', detail: 'VM on pve', insert: '123 frigate', value: '123' },
  { kind: 'ct', label: '104 jellyfin', detail: 'CT on pve', insert: '104 jellyfin', value: '104' },
  { kind: 'node', label: 'pve', detail: 'node', insert: 'pve', value: 'pve' },
] as const
const at = (text: string, cursor = text.length) => complete(text, cursor, { tools, nouns })
const labels = (text: string) => at(text)?.suggestions.map((suggestion) => suggestion.label)

test('a slash at the start lists commands and tools with their tiers', () => {
  expect(labels('/')?.slice(0, 3)).toEqual(['/status', '/node node', '/guest vmid'])
  expect(labels('/')?.slice(-2)).toEqual(['/restart_vm', '/get_vms'])
  expect(at('/restart')?.suggestions[0]).toMatchObject({
    tier: 'red',
    insert: '/restart_vm vmid=',
    detail: 'Reboot one virtual machine.',
  })
})

test('skills are offered by their names; one with the name of a command is not, because that line is the command', () => {
  const skills = [
    { name: 'restart-plan', description: 'How nodes are restarted. And more.' },
    { name: 'backups', description: 'Never reached.' },
  ]
  const offered = (text: string) => complete(text, text.length, { tools, nouns, skills })?.suggestions
  expect(offered('/rest')).toMatchObject([
    { label: '/restart-plan', insert: '/restart-plan ', detail: 'Skill: How nodes are restarted.' },
    { label: '/restart_vm' },
  ])
  expect(offered('/backups')?.map(({ detail }) => detail)).toEqual(['Backups and their age'])
})

test('what is typed narrows the tools, beginnings first', () => {
  expect(labels('/get')).toEqual(['/get_vms'])
  expect(labels('/vm')).toEqual(['/restart_vm', '/get_vms'])
})

test('after a tool its arguments are offered, each once, needed ones first', () => {
  expect(labels('/restart_vm ')).toEqual(['vmid=', 'node=', 'force='])
  expect(labels('/restart_vm vmid=123 ')).toEqual(['node=', 'force='])
  expect(labels('/restart_vm vmid=123 f')).toEqual(['force='])
})

test.each([
  ['/restart_vm vmid=', ['123 frigate']],
  ['/restart_vm vmid=jelly', []],
  ['/restart_vm vmid=123 node=', ['pve']],
  ['/restart_vm vmid=123 force=', ['true', 'false']],
  ['/restart_vm vmid=123 force=f', ['false']],
  ['/node ', ['pve']],
  ['/node p', ['pve']],
  ['/guest ', ['123 frigate', '104 jellyfin']],
  ['/ssh pve df', []],
])('values come from the schema or the live cluster: %s', (text, expected) => {
  expect(labels(text)).toEqual(expected)
})

test('a value takes the place of what was typed of it', () => {
  expect(at('/restart_vm vmid=fri')).toMatchObject({ from: 17, to: 20, suggestions: [{ insert: '123 ' }] })
})

test.each([
  ['/rest|art', '/restart_vm vmid='],
  ['/restart_vm vmid=1|23 force=true', '/restart_vm vmid=123  force=true'],
  ['/node p|ve', '/node pve '],
  ['is @jel|lyfin up?', 'is 104 jellyfin  up?'],
])('%s: the whole word is replaced, behind the cursor too', (typed, whole) => {
  const text = typed.replace('|', '')
  const { from = 0, to = 0, suggestions = [] } = at(text, typed.indexOf('|')) ?? {}
  expect(text.slice(0, from) + suggestions[0]?.insert + text.slice(to)).toBe(whole)
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
