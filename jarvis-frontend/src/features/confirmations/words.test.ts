import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { askerText } from './words.ts'

test.each<[Card['requestedBy'], string]>([
  [{ kind: 'chat', name: 'anthropic/claude' }, 'chat, claude'],
  [{ kind: 'command', name: 'ana' }, 'command by ana'],
  [{ kind: 'mcp', name: 'probe', token: 'laptop' }, 'MCP client probe'],
  [{ kind: 'job', name: 'nightly' }, 'job nightly'],
])('%j is shown as %s', (requestedBy, text) => {
  expect(askerText({ requestedBy })).toBe(text)
})
