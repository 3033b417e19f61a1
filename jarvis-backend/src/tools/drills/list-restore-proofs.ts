import { spanOf } from 'node-kit/words'
import { ProofsReply, type RestoreProof } from 'protocol'
import { z } from 'zod'
import { levelWords } from '../../drill/drill.ts'
import { reads } from '../../gate/targets.ts'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { toolOver } from '../tool.ts'
import type { DrillPorts } from './drill-restore.ts'

export const listRestoreProofs = toolOver<DrillPorts>()({
  name: 'list_restore_proofs',
  title: 'List restore proofs',
  description:
    'Lists each guest’s newest restore proof: how far its backup came to life, when, and what was not proven.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({}),
  example: {},
  output: ProofsReply,
  async run(_input, _context, { drills, now }) {
    const { items, open } = drills.proofs()
    const lines = items.map((proof) => lineOf(proof, now()))
    const running =
      open === null
        ? []
        : [
            `A drill of ${open.vmid} has not ended (${open.step}); its copy is ${open.copy} on ${plainName(open.node)}. ${open.problem ?? ''}`,
          ]
    const summary = `${items.length} ${items.length === 1 ? 'guest' : 'guests'} drilled`
    return {
      text: [`${summary}; no other backup was tried.`, ...running, ...lines].join('\n'),
      summary,
      data: { items, open },
    }
  },
})

function lineOf(
  { vmid, name, level, verdict, at, archiveAt, restoreMs, bootMs, notProven, problem, doubt }: RestoreProof,
  now: number,
) {
  const who = `${vmid} ${plainName(name)}`
  const age = `${ageOf(at, now)}, from a backup made ${ageOf(archiveAt, now)}${doubt === undefined ? '' : `. ${doubt}`}`
  if (verdict === 'failed') return `${who}: FAILED ${age}. ${oneLine(problem ?? '', 300)}`
  const took = [
    restoreMs === undefined ? [] : [`restored in ${spanOf(restoreMs / 1000)}`],
    bootMs === undefined ? [] : [`answered after ${spanOf(bootMs / 1000)}`],
  ].flat()
  return `${who}: level ${level} (${levelWords[level]}) ${age}; ${took.join(', ')}. Not proven: ${notProven.map((item) => oneLine(item, 120)).join('; ')}.`
}
