import { Alert } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { deciderOf, graveWords, presentAlert, quieter, undoneByHand, type WatchPorts, watchTool } from './ports.ts'

const hourMs = 3_600_000
/** A longer silence asks a person. */
const mostUnaskedHours = 24
const mostHours = 720
const usualHours = 4

/** Silences an alert for some hours: nobody is told of it, whatever becomes of it. It stays in the list. */
export const silenceAlert = watchTool({
  name: 'silence_alert',
  title: 'Silence an alert',
  description: `Nobody is told of the alert for \`hours\`, default ${usualHours}.`,
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'site' }],
  raises: [
    {
      tier: 'red',
      words: `more than ${mostUnaskedHours} hours, an alert that something does not work, or one that is silenced already`,
    },
  ],
  effects({ alert: id, hours = usualHours }, _world, ports?: WatchPorts) {
    const alert = presentAlert(id, ports)
    return [
      quieter(`Nobody is told of the alert ${quoted(alert.sentence, 200)} for ${hours} h.`, whyAsked(alert, hours)),
    ]
  },
  undo: () => undoneByHand,
  ending: () => ({ look: 'list_alerts shows whether it is silenced.' }),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({
    alert: z.string(),
    hours: z.number().min(0.25).max(mostHours).optional(),
  }),
  example: { alert: 'none' },
  output: z.object({ alert: Alert }),
  async run({ alert: id, hours = usualHours }, context, ports) {
    const until = ports.alerts().now + Math.round(hours * hourMs)
    const alert = ports.silence(id, deciderOf(context), { until, note: 'Asked for by a tool call.' })
    const summary = `${id} is silenced for ${hours} h`
    return { text: `${summary}.`, summary, data: { alert } }
  },
})

function whyAsked({ severity, silenced }: Alert, hours: number): string | undefined {
  if (severity === 'failed') return graveWords
  if (silenced !== undefined && silenced.window === undefined)
    return `It replaces the silence of ${quoted(silenced.by, 80)}.`
  return hours > mostUnaskedHours ? `Nobody would be told for more than ${mostUnaskedHours} hours.` : undefined
}
