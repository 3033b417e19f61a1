import { describe, expect, test } from 'vitest'
import { toolFacts } from '../plans/tool-facts.ts'
import { createCatalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { parseRunbook } from './parse.ts'

const tools = toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ name, tier }) =>
  name === 'run_in_guest' ? 'black' : tier,
)

/** A whole runbook; a row of the tables changes one line of it. */
const hotNode = `---
name: Hot node
inputs:
  node: { type: node }
  vmid: { type: guest, optional: true }
max_age: 10 min   # a plan older than this asks again
alerts: [node-heat]
---
A node runs hot. Find the guest that loads it.

## 1. Who loads it
The busiest guests come first.
tool: get_vms
args: { node: $node, limit: 3 }
as: top

## 2. Is it the decoder
tool: get_guest_config
args: { vmid: $top.guests.0.vmid }
as: config

## 3. Restart it
tool: restart_vm
when: $config.values.hostpci0 = none and $top.guests(status=running).name != none
args: { vmid: $top.guests.0.vmid }
verify:
  tool: get_vms
  args: { node: $node }
  until: $result.guests(vmid=$top.guests.0.vmid).status = running
  within: 3 min
undo: none            # a restart cannot be undone

## 4. Is it cooler
tool: get_node_temperature
args: { node: $node }
verify: { until: $result.celsius < 75, within: 15 min }
`

test('a whole runbook has no fault, and says its steps, inputs and times', () => {
  const { procedure, facts } = parseRunbook(hotNode, tools)
  expect(facts.faults).toEqual([])
  expect(facts).toMatchObject({
    title: 'Hot node',
    about: 'A node runs hot. Find the guest that loads it.',
    alerts: ['node-heat'],
    inputs: [
      { name: 'node', type: 'node', isRequired: true },
      { name: 'vmid', type: 'guest', isRequired: false },
    ],
    steps: [
      { number: 1, title: 'Who loads it', toolName: 'get_vms', tier: 'green', line: 13 },
      { number: 2, toolName: 'get_guest_config', tier: 'green', line: 18 },
      { number: 3, toolName: 'restart_vm', tier: 'red', line: 23 },
      { number: 4, toolName: 'get_node_temperature', tier: 'green', line: 34 },
    ],
  })
  expect(procedure?.maxAgeMs).toBe(600_000)
  expect(procedure?.steps[2]?.verify).toMatchObject({ toolName: 'get_vms', withinMs: 180_000, line: 29 })
  expect(procedure?.steps[3]?.verify).toMatchObject({ toolName: 'get_node_temperature', args: { node: '$node' } })
})

describe('a fault names its line and the nearest name', () => {
  test.each<[why: string, from: string, to: string, line: number, message: RegExp, nearest?: string]>([
    ['an unknown tool', 'tool: restart_vm', 'tool: restart_vn', 23, /no tool restart_vn/, 'restart_vm'],
    ['an unknown argument', 'limit: 3', 'limt: 3', 14, /takes no argument limt/, 'limit'],
    ['a missing argument', 'args: { vmid: $top.guests.0.vmid }\nas: config', 'as: config', 18, /needs vmid/],
    ['an argument of the wrong type', '{ node: $node, limit: 3 }', '{ limit: many }', 14, /limit/],
    ['an unknown output key', '$result.celsius < 75', '$result.celcius < 75', 36, /there is no celcius/, 'celsius'],
    ['an unknown part of an item', '.0.vmid }\nas', '.0.vmd }\nas', 19, /there is no vmd/, 'vmid'],
    ['a list taken for an item', '{ vmid: $top.guests.0.vmid }\nas', '{ vmid: $top.guests.vmid }\nas', 19, /is a list/],
    ['an unknown name', 'args: { node: $node, limit', 'args: { node: $nod, limit', 14, /\$nod is not known/, 'node'],
    ['an unknown key of a step', 'as: top', 'az: top', 15, /az is no key/, 'as'],
    ['an unknown key of the front matter', 'max_age: 10', 'maxage: 10', 6, /maxage is no key/, 'max_age'],
    ['a tool that never runs', 'tool: restart_vm', 'tool: run_in_guest', 23, /never runs/],
    ['a check by a tool that changes', '  tool: get_vms', '  tool: stop_vm', 27, /verify only reads/],
    ['a time that is none', 'within: 3 min', 'within: soon', 30, /within/],
    ['a time that is too long', 'max_age: 10 min', 'max_age: 40 d', 6, /max_age/],
    ['a comparison without its operator', '$result.celsius < 75', '$result.celsius 75', 36, /comparison is missing/],
    ['a wrong number of a step', '## 3. Restart it', '## 5. Restart it', 22, /headed `## 3\. Title`/],
    ['an input without a type', '{ type: node }', '{ type: host }', 4, /its type is one of/],
    ['YAML that is none', 'args: { node: $node, limit: 3 }', 'args: { node: $node', 15, /not YAML/],
    ['an anchor', '{ node: $node, limit: 3 }', '{ node: $node, limit: &few 3 }', 14, /Write the value itself/],
    ['an alias', '{ node: $node, limit: 3 }', '{ node: $node, limit: *few }', 14, /YAML|Write the value itself/],
    ['a tag', '{ node: $node, limit: 3 }', '{ node: $node, limit: !!str 3 }', 14, /Write the value itself/],
    ['a name that is taken', 'as: config', 'as: node', 20, /it is taken/],
    [
      'an output named before it is read',
      'args: { node: $node, limit: 3 }',
      'args: { node: $config.x }',
      14,
      /not known here/,
    ],
    ['a check that is no id', '[node-heat]', '[Node Heat]', 7, /alerts/],
    ['no name', 'name: Hot node', 'name: ""', 2, /needs a name/],
  ])('%s', (_why, from, to, line, message, nearest) => {
    expect(hotNode).toContain(from)
    const { procedure, facts } = parseRunbook(
      hotNode.replace(from, () => to),
      tools,
    )
    expect(procedure).toBeUndefined()
    expect(facts.faults).toContainEqual(
      expect.objectContaining({ line, message: expect.stringMatching(message), ...(nearest && { nearest }) }),
    )
  })

  test('what a read gives after a change makes no call', () => {
    const text = `${hotNode.replace('15 min }', '15 min }\nas: after')}\n## 5. Again\ntool: restart_vm\nargs: { vmid: $after.celsius }\n`
    expect(parseRunbook(text, tools).facts.faults).toEqual([
      expect.objectContaining({ line: 41, message: expect.stringContaining('while the plan runs') }),
    ])
  })

  test.each([
    ['', /front matter/],
    ['---\nname: x\n', /no end/],
    ['---\nname: x\n---\nwords alone', /no step/],
  ])('%j is no runbook', (text, message) => {
    expect(
      parseRunbook(text, tools)
        .facts.faults.map((fault) => fault.message)
        .join(),
    ).toMatch(message)
  })

  test.each(['__proto__', 'constructor'])('%s is no name of anything', (name) => {
    const text = hotNode.replace('$top.guests.0.vmid }\nas', `$top.${name} }\nas`)
    expect(parseRunbook(text, tools).facts.faults).not.toEqual([])
  })
})
