import { withMore } from 'homelab-ports/failure'
import type { PveApi } from 'homelab-ports/ports'
import { asFarAsSeen, type ClusterState, JarvisError } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { guestTarget } from '../../gate/targets.ts'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { readReplication, scheduleReplication } from '../../homelab/operations/replication.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { readTimeoutMs } from '../homelab/inputs.ts'
import { ReplicationRunOutput } from '../outputs.ts'
import { replicates } from './groups.ts'

/** Describes the state of a replication job after a request for it failed, in a sentence. @throws the signal's reason */
async function leftOf(
  api: PveApi,
  { node, job, state }: { node: string; job: string; state: ClusterState },
  signal: AbortSignal,
): Promise<string> {
  const { items, missing } = await readReplication(api, [{ name: node, status: 'online' }], signal)
  const found = items.find(({ id }) => id === job)
  if (found === undefined)
    return missing.length > 0
      ? `How ${job} stands could not be read.`
      : `Read afterwards: ${plainName(node)} has no job ${job}.`
  const { isRunning, isDisabled, syncedAt, error } = found
  const now = isRunning ? 'it is running' : isDisabled ? 'it is disabled' : 'it is not running'
  const last =
    syncedAt === null
      ? 'when it last succeeded is not known'
      : `it last succeeded ${ageOf(syncedAt, clusterTime(api.now(), state))}`
  return `Read afterwards of ${job}: ${now}; ${last}${error === undefined || error === '' ? '' : `; its last error is "${oneLine(error, 160)}"`}.`
}

const guestOf = (job: string) => Number(job.split('-')[0])

export const runReplication = homelabTool({
  name: 'run_replication',
  title: 'Replicate now',
  description: 'Runs one replication job now, ahead of its schedule. See get_replication for its result.',
  tier: 'yellow',
  group: replicates,
  touches: [{ kind: 'data', on: 'guest' }],
  effects({ job }, world) {
    const vmid = guestOf(job)
    if (!world.cluster.guests.some((guest) => guest.vmid === vmid))
      throw new Mistake(`job: there is no guest ${vmid}${asFarAsSeen('guests', world.cluster)}.`)
    const sentence = `The replication job ${job} runs ahead of its schedule: the copy of the guest on the target node is brought up to date.`
    return [
      { kind: 'data', on: 'guest', target: guestTarget({ vmid }, world), deed: `replicate ${vmid} now`, sentence },
    ]
  },
  undo: () => ({ kind: 'none', because: 'A replication only brings the copy up to date.', losesNothing: true }),
  ending: ({ job }) => ({ look: `Look with get_replication when ${job} last ran.` }),
  isComposed: true,
  needs: [rights.guests, rights.replicate],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    job: z
      .string()
      .regex(/^[1-9]\d{2,8}-\d{1,9}$/, 'must be a job’s id, as in 100-0')
      .describe('As in 100-0.'),
  }),
  example: { job: '113-0' },
  output: ReplicationRunOutput,
  async run({ job }, { signal }, { api, cluster }) {
    const state = cluster.state()
    const guest = state.guests.find(({ vmid }) => vmid === guestOf(job))
    if (guest === undefined)
      throw new JarvisError('not_found', `There is no guest ${guestOf(job)}${asFarAsSeen('guests', state)}.`)
    try {
      await scheduleReplication(api, { node: guest.node, id: job }, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof JarvisError)) throw error
      throw withMore(error, await leftOf(api, { node: guest.node, job, state }, signal))
    }
    return {
      text: `The job ${job} is queued on ${guest.node} and begins within about a minute. get_replication shows how it ends.`,
      summary: 'queued',
      data: { job, node: guest.node, isQueued: true },
    }
  },
})
