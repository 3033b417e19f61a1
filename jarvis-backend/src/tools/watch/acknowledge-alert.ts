import { Alert } from 'protocol'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { deciderOf, graveWords, presentAlert, quieter, undoneByHand, type WatchPorts, watchTool } from './ports.ts'

/** Acknowledges an alert: nobody is told of it again, until it becomes graver or ends. It stays in the list. */
export const acknowledgeAlert = watchTool({
  name: 'acknowledge_alert',
  title: 'Acknowledge an alert',
  description: 'Nobody is told of the alert again, unless it gets worse.',
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
  input: z.strictObject({ alert: z.string() }),
  example: { alert: 'none' },
  output: z.object({ alert: Alert }),
  async run({ alert: id }, context, ports) {
    const alert = ports.acknowledge(id, deciderOf(context))
    const summary = `${id} is acknowledged`
    return { text: `${summary}.`, summary, data: { alert } }
  },
})
