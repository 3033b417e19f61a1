import { spanOf } from 'node-kit/words'
import { RestoreProof } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { levelWords, proofOf } from '../../drill/drill.ts'
import type { Drills } from '../../drill/drills.ts'
import { aboutTime } from '../../drill/plan.ts'
import { sentenceOf } from '../../drill/words.ts'
import { noTarget } from '../../gate/effect.ts'
import { guestTarget } from '../../gate/targets.ts'
import { diskOf, oneLine } from '../../homelab/format.ts'
import { StorageName, vmidOf, who } from '../guests/guest-tool.ts'
import { rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { toolOver } from '../tool.ts'

export type DrillPorts = { drills: Pick<Drills, 'plan' | 'run' | 'proofs' | 'hasOwnToken' | 'ids'>; now(): number }

/** Time to restore a large guest from a slow storage, ms. */
const timeoutMs = 12 * 3_600_000

export const drillRestore = toolOver<DrillPorts>()({
  name: 'drill_restore',
  title: 'Drill a restore',
  description:
    'Proves that a guest’s newest backup restores: restores it into an isolated copy with every network interface down, boots it, asks it, and destroys the copy. The guest is not touched.',
  tier: 'red',
  touches: [
    { kind: 'read', on: 'guest' },
    { kind: 'create', on: 'site' },
  ],
  // The guest itself is only read, so a drill of a protected guest is possible too.
  effects({ vmid }, world) {
    const target = guestTarget({ vmid }, world)
    const sentence = `The newest backup of ${who(target)} is restored into an isolated copy, which is started, asked and destroyed.`
    return [
      { kind: 'read', on: 'guest', target, deed: `prove a restore of ${vmid}`, sentence },
      { kind: 'create', on: 'site', target: noTarget, sentence },
    ]
  },
  async prepare(request, { signal }, { drills, now }) {
    const plan = await drills.plan(request, signal)
    const { backup, guest, isOfBy, unread, node, storage, needBytes } = plan
    const { first, last } = drills.ids
    return {
      now: `Newest backup: ${oneLine(backup.volumeId, 120)}, ${spanOf((now() - backup.createdAt) / 1000)} old, of ${guest.vmid} ${named(guest.name)} by ${isOfBy}.${unread.length === 0 ? '' : ` A newer one may be where nothing could be read: ${unread.join(', ')}.`}`,
      then: `A copy with an id from ${first} to ${last} on ${named(node)}, storage ${named(storage)}, every network interface down; ${aboutTime(plan)}. Then the copy is gone.`,
      affects: [
        `Nothing of ${request.vmid} is touched. The copy may take ${diskOf(needBytes)} meanwhile`,
        drills.hasOwnToken
          ? 'The drill uses its own token, so that Proxmox limits what it can destroy'
          : 'The drill has no token of its own: JARVIS’s main token destroys the copy, and only JARVIS’s checks limit it',
      ].join('. '),
      undo: {
        kind: 'none',
        because: 'Nothing is left to undo, because the drill removes its own copy.',
        losesNothing: true,
      },
      basis: { archive: backup.volumeId, node, storage },
    }
  },
  ending: ({ vmid }) => ({
    look: `list_restore_proofs shows how the drill of ${vmid} ended, and whether its copy is still there.`,
  }),
  isComposed: true,
  needs: [rights.guests, rights.backups, rights.backupFiles],
  timeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    storage: StorageName.optional().describe('Where the copy lies. Absent: where most is free.'),
    node: NodeName.optional(),
    bwlimitKiBps: z.int().min(1).optional(),
  }),
  example: { vmid: 101 },
  output: z.object({ proof: RestoreProof.nullable(), isCopyGone: z.boolean(), left: z.string().optional() }),
  async run(request, { signal, onProgress, onTask }, { drills }) {
    const drill = await drills.run(request, { signal, onProgress, onTask })
    const { verdict, level, restoreMs, bootMs, notProven, step, left } = drill
    const seconds = [
      restoreMs === undefined ? [] : [`restored in ${spanOf(restoreMs / 1000)}`],
      bootMs === undefined ? [] : [`answered after ${spanOf(bootMs / 1000)}`],
    ].flat()
    const text = [
      sentenceOf(drill),
      ...(seconds.length === 0 ? [] : [`${seconds.join(', ')}.`]),
      ...(verdict === 'proven' ? [`Not proven: ${notProven.join('; ')}.`] : []),
    ].join('\n')
    const isCopyGone = step === 'ended' && left === undefined
    const words = {
      proven: `level ${level}: ${levelWords[level]}`,
      failed: 'did not come to life',
      stopped: 'broken off',
    }
    return {
      text,
      summary: `${words[verdict === 'open' ? 'stopped' : verdict]}${isCopyGone ? '' : '; look at its copy'}`,
      data: {
        proof: verdict === 'proven' || verdict === 'failed' ? proofOf(drill) : null,
        isCopyGone,
        ...(left !== undefined && { left }),
      },
      ...((verdict !== 'proven' || !isCopyGone) && { isError: true }),
    }
  },
})
