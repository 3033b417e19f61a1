import { spanOf } from 'node-kit/words'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { figure, rowsOf, words } from '../../homelab/pve/answers.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, under } from '../measure.ts'

const dayMs = 86_400_000
/** Days before the end. Proxmox renews its own certificate below 14 days, and an ACME certificate below 30. At 12 days the renewal has failed. */
const days = { look: 12, failed: 3, clear: 12 }

const Row = z.object({ filename: words, notafter: figure, subject: words })

/** The certificate that a node's web interface uses. */
export const certificate: Check = {
  id: 'certificate',
  title: 'Certificate of a node',
  reads: 'GET /nodes/{node}/certificates/info',
  limit: () => `Ends in ${days.look} d, failed at ${days.failed} d.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  runbooks: ['certificate'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const { rows } = rowsOf(
        Row,
        await ports.api.get(['nodes', name, 'certificates', 'info'], {}, { signal: ports.signal }),
      )
      // A certificate of the operator's own is used in place of the cluster's.
      const shown =
        rows.find(({ filename }) => filename === 'pveproxy-ssl.pem') ??
        rows.find(({ filename }) => filename === 'pve-ssl.pem')
      return [{ node: name, endsAt: shown?.notafter }]
    })
    const measures = items.map(({ node, endsAt }): Measure => {
      const object = nodeObject(node)
      const who = `The certificate of ${plainName(node)}`
      if (endsAt === undefined)
        return { object, level: 'unseen', words: 'unknown', sentence: `${who} could not be read.` }
      const leftS = endsAt - clusterTime(ports.now, ports.state) / 1000
      const words = leftS > 0 ? `${spanOf(leftS)} left` : `ended ${spanOf(-leftS)} ago`
      const sentence = leftS > 0 ? `${who} ends in ${spanOf(leftS)}.` : `${who} ended ${spanOf(-leftS)} ago.`
      const left = (leftS * 1000) / dayMs
      return { object, level: under(left, days), words, value: left, isLowBad: true, sentence, inputs: { node } }
    })
    return { measures, unread }
  },
}
