import { Alert } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, noTarget } from '../../gate/effect.ts'
import { presentAlert, type WatchPorts, watchTool } from './ports.ts'

/** Acknowledges an alert: nobody is told of it again, until it becomes graver or ends. It stays in the list. */
export const acknowledgeAlert = watchTool({
  name: 'acknowledge_alert',
  title: 'Acknowledge an alert',
  description: 'Notes that a person knows of an alert, by its id: nobody is told of it again unless it becomes graver.',
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'site' }],
  effects({ alert: id, takeBack = false }, _world, ports?: WatchPorts): Effect[] {
    const said = quoted(presentAlert(id, ports).sentence, 200)
    const sentence = takeBack ? `The alert ${said} counts as not seen again.` : `The alert ${said} counts as seen.`
    return [{ kind: 'config', on: 'site', target: noTarget, sentence }]
  },
  undo: ({ alert, takeBack = false }) => ({
    kind: 'call',
    toolName: 'acknowledge_alert',
    input: takeBack ? { alert } : { alert, takeBack: true },
    sentence: takeBack ? 'It counts as seen again.' : 'It counts as not seen again.',
  }),
  ending: () => ({ look: 'list_alerts shows whether it is acknowledged.' }),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({
    alert: z.string().min(1).max(100).describe('Its id, as list_alerts shows it.'),
    note: z.string().trim().min(1).max(500).optional(),
    takeBack: z.boolean().optional().describe('Takes the acknowledgement back.'),
  }),
  example: { alert: 'none' },
  output: z.object({ alert: Alert }),
  async run({ alert: id, note, takeBack = false }, { asker, approvedBy }, ports) {
    const by = approvedBy ?? asker?.name ?? 'a tool call'
    const alert = takeBack ? ports.unacknowledge(id, by) : ports.acknowledge(id, by, note)
    const summary = takeBack ? `${id} is not acknowledged any more` : `${id} is acknowledged`
    return { text: `${summary}.`, summary, data: { alert } }
  },
})
