import { expect, test } from 'vitest'
import { alternativeOf } from './alternative.ts'

test.each<[string, string, object]>([
  ['a tool alone', 'get_cluster_status', { toolName: 'get_cluster_status', toolInput: {} }],
  ['with a slash', ' /get_node_status {"node": "pve"}', { toolName: 'get_node_status', toolInput: { node: 'pve' } }],
  ['of an attached server', 'real__get-sum {"a": 1}', { toolName: 'real__get-sum', toolInput: { a: 1 } }],
  ['a list', 'get_vms [1]', { problem: expect.stringContaining('between braces') }],
  ['half of JSON', 'get_vms {"a":', { problem: expect.stringContaining('between braces') }],
  ['nothing', '  ', { problem: expect.stringContaining('Write a tool') }],
])('%s', (_name, text, call) => {
  expect(alternativeOf(text)).toEqual(call)
})
