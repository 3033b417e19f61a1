import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { words as text } from '../../homelab/pve/answers.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check } from '../check.ts'
import { seen, siteObject, when } from '../measure.ts'

const Answer = z.looseObject({ State: text, 'QNetd host': text })

/** The vote of a QDevice. Without it, a cluster of two nodes loses its quorum if either node fails. */
export function qdeviceCheck(): Check {
  /** The address of the QDevice's host, once it was seen. After its daemon has ended, the answer is as if there were no QDevice. */
  let host: string | undefined
  return {
    id: 'qdevice',
    title: 'QDevice',
    reads: 'GET /cluster/config/qdevice',
    limit: () => 'Not connected.',
    pace: 'sweep',
    from: [],
    forMs: 0,
    runbooks: ['quorum'],
    async look({ api, signal }) {
      const read = await api.get(['cluster', 'config', 'qdevice'], {}, { signal }).catch((error: unknown) => {
        throw isForbidden(error) ? new CannotRun('The token needs Sys.Audit on /.') : error
      })
      const { State: state, 'QNetd host': at } = Answer.parse(read ?? {})
      host = at ?? host
      if (state === undefined && host === undefined) throw new CannotRun('This cluster has no QDevice.')
      const words = state === undefined ? 'not running' : plainName(state)
      const who = host === undefined ? 'The QDevice' : `The QDevice at ${plainName(host)}`
      const isUp = state?.toLowerCase() === 'connected'
      const sentence = `${who} is ${isUp ? 'connected' : words.toLowerCase()}: ${isUp ? 'its vote counts' : 'its vote is missing'}.`
      return seen([{ object: siteObject, level: when(!isUp, 'look'), words, sentence }])
    },
  }
}
