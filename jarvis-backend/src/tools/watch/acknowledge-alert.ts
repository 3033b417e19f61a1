import { Alert } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { deciderOf, graveWords, presentAlert, quieter, undoneByHand, type WatchPorts, watchTool } from './ports.ts'

/** Acknowledges an alert: nobody is told of it again, until it becomes graver or ends. It stays in the list. */
export const acknowledgeAlert = watchTool({
  name: 'acknowledge_alert',
  title: 'Acknowledge an alert',
  description: 'Notes that a person knows of an alert, by its id: nobody is told of it again unless it becomes graver.',
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'site' }],
  raises: [{ tier: 'red', words: 'an alert that something does not work, or one that is acknowledged already' }],
  effects({ alert: id }, _world, ports?: WatchPorts) {
    const { sentence, severity, acknowledged } = presentAlert(id, ports)
    const replaced = acknowledged && `It replaces what ${quoted(acknowledged.by, 80)} noted.`
    return [
      quieter(`The alert ${quoted(sentence, 200)} counts as seen.`, severity === 'failed' ? graveWords : replaced),
    ]
  },
  undo: () => undoneByHand,
  ending: () => ({ look: 'list_alerts shows whether it is acknowledged.' }),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({
    alert: z.string().min(1).max(100).describe('Its id, as list_alerts shows it.'),
    note: z.string().trim().min(1).max(500).optional(),
  }),
  example: { alert: 'none' },
  output: z.object({ alert: Alert }),
  async run({ alert: id, note }, context, ports) {
    const alert = ports.acknowledge(id, deciderOf(context), note)
    const summary = `${id} is acknowledged`
    return { text: `${summary}.`, summary, data: { alert } }
  },
})
