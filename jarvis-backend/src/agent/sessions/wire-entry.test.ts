import { noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { wireEntry } from './wire-entry.ts'

test('no client sees what only a model needs', () => {
  const redact = { text: (text: string) => text, value: <T>(value: T) => value }
  const call = { type: 'tool_call' as const, toolUseId: 'tu_1', toolName: 'get_vms', toolInput: {} }
  const entry = wireEntry(
    {
      type: 'assistant',
      seq: 1,
      runId: 'run_1',
      at: 0,
      model: 'openai/m',
      usage: noUsage,
      stopReason: 'tool_use',
      content: [
        { type: 'thinking', text: 'Hm', signature: 'sig', isWantedBack: true },
        { type: 'redacted_thinking', data: 'opaque' },
        { ...call, extra: { signature: 'sig' } },
      ],
    },
    redact,
  )
  expect(entry).toMatchObject({ seq: 1, content: [{}, {}] })
  expect(entry).toHaveProperty('content', [{ type: 'thinking', text: 'Hm' }, call])
})
