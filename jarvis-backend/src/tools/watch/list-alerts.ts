import { Alert } from 'protocol'
import { z } from 'zod'
import { reads } from '../../gate/targets.ts'
import { ageOf, oneLine } from '../../homelab/format.ts'
import { watchTool } from './ports.ts'

const most = 40

export const listAlerts = watchTool({
  name: 'list_alerts',
  title: 'List alerts',
  description: 'Lists what is wrong now, or what ended.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({ ended: z.boolean().optional() }),
  example: {},
  output: z.object({ alerts: z.array(Alert) }),
  async run({ ended = false }, _context, ports) {
    const { items, now, checkedAt, checks } = ports.alerts()
    if (ended) {
      const alerts = ports.ended(most)
      const summary = `${counted(alerts.length)} ended`
      return {
        text: [`${summary}.`, ...alerts.map((alert) => lineOf(alert, now))].join('\n'),
        summary,
        data: { alerts },
      }
    }
    if (checkedAt === null) {
      const text = 'UNKNOWN: the checks have not looked yet.'
      return { text, summary: 'no check has looked yet', data: { alerts: [] }, isError: true }
    }
    const shown = items.slice(0, most)
    const more = items.length > shown.length ? [`${items.length - shown.length} less grave ones more.`] : []
    const blind = checks.cannotRun === 0 ? '' : `, of which ${checks.cannotRun} cannot run here`
    const summary = counted(items.length)
    return {
      text: [
        `${summary}. ${checks.on} checks${blind}, looked ${ageOf(checkedAt, now)}.`,
        ...shown.map((alert) => lineOf(alert, now)),
        ...more,
      ].join('\n'),
      summary,
      data: { alerts: shown },
    }
  },
})

const counted = (count: number) => `${count} ${count === 1 ? 'alert' : 'alerts'}`

function lineOf(alert: Alert, now: number): string {
  const { id, check, severity, state, sentence, since, notSeenSince, acknowledged, silenced, hiddenBy, ending } = alert
  const more = [
    notSeenSince === undefined ? [] : [`not seen for ${ageOf(notSeenSince, now).replace(/ ago$/, '')}`],
    acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`],
    silenced === undefined ? [] : [silenced.until === undefined ? 'silenced without an end' : 'silenced'],
    hiddenBy === undefined ? [] : [`explained by ${hiddenBy}`],
    ending === undefined ? [] : [`ended: ${oneLine(ending, 100)}`],
  ].flat()
  return `${id} ${severity}, ${state} since ${ageOf(since, now)}, ${check}: ${oneLine(sentence, 300)}${more.length === 0 ? '' : ` (${more.join(', ')})`}`
}
