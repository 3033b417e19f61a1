import { expect, test } from 'vitest'
import type { ModelRequest } from '../agent/model.ts'
import type { LeftOut } from './learned.ts'
import { ToolSchemas } from './tool-schemas.ts'

test('a server that names one tool after the other loses the rest of that attached server, each by name, and no other server’s tools', () => {
  const parts = new Set<string>()
  const said: LeftOut[] = []
  const schemas = new ToolSchemas({
    has: (part) => parts.has(part),
    find: (start) => [...parts].findLast((part) => part.startsWith(start)),
    add(part, leftOut) {
      parts.add(part)
      if (leftOut !== undefined) said.push(leftOut)
    },
  })
  const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object', properties: { a: {} } } })
  const odd = Array.from({ length: 14 }, (_, at) => `odd__t${String(at).padStart(2, '0')}`)
  const good = ['get_vms', 'fine__add', 'fine__sub']
  const request = { tools: [...good, ...odd].map(tool), messages: [] } as unknown as ModelRequest
  const sent = () => schemas.fit({ ...request }).tools.map(({ name }) => name)
  let refusals = 0
  for (let left = sent(); left.some((name) => odd.includes(name)) && refusals < 30; left = sent()) {
    refusals += 1
    const at = left.findIndex((name) => odd.includes(name))
    const asked = { ...request }
    schemas.fit(asked)
    expect(schemas.leaveOut(`Invalid schema in tools[${at}].function.parameters`, asked)).toBe(true)
  }
  expect(sent()).toEqual(good)
  expect(refusals).toBeLessThanOrEqual(11)
  for (const name of odd) expect(said.map(({ tool }) => tool).join(' ')).toContain(name)
})
