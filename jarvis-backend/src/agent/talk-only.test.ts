import type { ToolUseId } from 'protocol'
import { expect, test } from 'vitest'
import { talkOnly } from './talk-only.ts'

test('a model without tools reads what was called as words, and is told that it can only talk', () => {
  const toolUseId = 'tu_1' as ToolUseId
  const request = talkOnly({
    system: 'Be brief.',
    messages: [
      { role: 'user', results: [], text: 'Is 105 up?' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_call', toolUseId, toolName: 'get_guest', toolInput: { vmid: 105 } },
        ],
      },
      { role: 'user', results: [{ toolUseId, toolName: 'get_guest', text: 'running', isError: false }], text: '' },
    ],
    tools: [{ name: 'get_guest', description: '', inputSchema: {} }],
    mayCallTools: true,
    toolChoice: 'any',
  })
  expect(request).not.toHaveProperty('toolChoice')
  expect(request.tools).toEqual([])
  expect(request.system).toMatch(/^Be brief\.\n\nYou have no tools/)
  expect(request.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'text', text: '[Called get_guest with {"vmid":105}]' },
      ],
    },
    { role: 'user', results: [], text: '[A result of get_guest] running' },
  ])
})
