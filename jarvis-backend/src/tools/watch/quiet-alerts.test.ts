import type { Alert, AlertsReply } from 'protocol'
import { expect, test } from 'vitest'
import { Mistake } from '../../gate/effect.ts'
import type { ToolContext } from '../tool.ts'
import { withPorts } from '../tool.ts'
import { watchTools } from './index.ts'
import type { WatchPorts } from './ports.ts'

const alert = (id: string, more: Partial<Alert> = {}) =>
  ({ id, severity: 'look', sentence: `${id} is wrong.`, ...more }) as Alert
const items = [
  alert('heat'),
  alert('disk', { severity: 'failed' }),
  alert('known', { acknowledged: { by: 'ann', at: 0 } }),
  alert('hushed', { silenced: { by: 'ann' } }),
  alert('window', { silenced: { by: 'ann', window: 'win_1' } }),
]
const made: unknown[] = []
function noted(given: unknown): Alert {
  made.push(given)
  return alert('heat')
}
const ports: WatchPorts = {
  alerts: () => ({ items, now: 1_000 }) as unknown as AlertsReply,
  ended: () => [],
  acknowledge: (...given) => noted(given),
  silence: (...given) => noted(given),
}
const tools = new Map(withPorts(watchTools, ports).map((tool) => [tool.name, tool]))
const tierOf = (name: string, input: Record<string, unknown>) =>
  tools.get(name)?.effects(input, {} as never)[0]?.atLeast?.tier ?? 'none'

test.each([
  ['acknowledge_alert', { alert: 'heat' }, 'none'],
  ['acknowledge_alert', { alert: 'disk' }, 'red'],
  ['acknowledge_alert', { alert: 'known' }, 'red'],
  ['silence_alert', { alert: 'heat' }, 'none'],
  ['silence_alert', { alert: 'heat', hours: 24 }, 'none'],
  ['silence_alert', { alert: 'heat', hours: 25 }, 'red'],
  ['silence_alert', { alert: 'disk', hours: 1 }, 'red'],
  ['silence_alert', { alert: 'hushed', hours: 1 }, 'red'],
  ['silence_alert', { alert: 'window', hours: 1 }, 'none'],
])('%s %j is raised to %s', (name, input, tier) => expect(tierOf(name, input)).toBe(tier))

test('an alert that is not there is a mistake in the call', () => {
  for (const name of ['acknowledge_alert', 'silence_alert'])
    expect(() => tools.get(name)?.effects({ alert: 'gone' }, {} as never)).toThrow(Mistake)
})

test('the decision stands under the name of who approved it, else of who asked', async () => {
  const context = { asker: { name: 'claude' } } as ToolContext
  await tools.get('acknowledge_alert')?.run({ alert: 'heat' }, { ...context, approvedBy: 'jonas' })
  await tools.get('silence_alert')?.run({ alert: 'heat', hours: 2 }, context)
  expect(made).toEqual([
    ['heat', 'jonas'],
    ['heat', 'claude', { until: 1_000 + 2 * 3_600_000, note: 'Asked for by a tool call.' }],
  ])
})
