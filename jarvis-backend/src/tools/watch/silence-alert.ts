import { Alert } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, noTarget } from '../../gate/effect.ts'
import { presentAlert, type WatchPorts, watchTool } from './ports.ts'

const hourMs = 3_600_000
/** A longer silence asks a person. */
const mostUnaskedHours = 24
const mostHours = 720
const usualHours = 4

/** Silences an alert for some hours: nobody is told of it, whatever becomes of it. It stays in the list. */
export const silenceAlert = watchTool({
  name: 'silence_alert',
  title: 'Silence an alert',
  description: `Tells nobody of an alert, by its id, for \`hours\` (${usualHours} by default, at most ${mostHours}). It stays in the list.`,
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'site' }],
  raises: [{ tier: 'red', words: `more than ${mostUnaskedHours} hours, or an alert that something does not work` }],
  effects({ alert: id, hours = usualHours, end = false }, _world, ports?: WatchPorts): Effect[] {
    const { sentence: said, severity } = presentAlert(id, ports)
    const alert = `the alert ${quoted(said, 200)}`
    const because = whyAsked(severity, hours)
    return [
      {
        kind: 'config',
        on: 'site',
        target: noTarget,
        sentence: end ? `People are told of ${alert} again.` : `Nobody is told of ${alert} for ${hours} h.`,
        ...(!end && because !== undefined && { atLeast: { tier: 'red' as const, because } }),
      },
    ]
  },
  undo: ({ alert, end = false }) =>
    end
      ? { kind: 'none', because: 'How long it was silenced is not kept.' }
      : {
          kind: 'call',
          toolName: 'silence_alert',
          input: { alert, end: true },
          sentence: 'People are told of it again.',
        },
  ending: () => ({ look: 'list_alerts shows whether it is silenced.' }),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({
    alert: z.string().min(1).max(100).describe('Its id, as list_alerts shows it.'),
    hours: z.number().min(0.25).max(mostHours).optional(),
    note: z.string().trim().min(1).max(500).optional().describe('Why.'),
    end: z.boolean().optional().describe('Ends the silence.'),
  }),
  example: { alert: 'none' },
  output: z.object({ alert: Alert }),
  async run({ alert: id, hours = usualHours, note = 'Asked for in a chat.', end = false }, context, ports) {
    const { asker, approvedBy } = context
    const by = approvedBy ?? asker?.name ?? 'a tool call'
    const until = ports.alerts().now + Math.round(hours * hourMs)
    const alert = end ? ports.unsilence(id, by) : ports.silence(id, by, { until, note })
    const summary = end ? `${id} is not silenced any more` : `${id} is silenced for ${hours} h`
    return { text: `${summary}.`, summary, data: { alert } }
  },
})

function whyAsked(severity: Alert['severity'], hours: number): string | undefined {
  if (severity === 'failed') return 'The alert says that something does not work, or that data is at risk.'
  return hours > mostUnaskedHours ? `Nobody would be told for more than ${mostUnaskedHours} hours.` : undefined
}
