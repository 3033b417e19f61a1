import { z } from 'zod'
import { guestTarget } from '../../src/gate/targets.ts'
import { defineTool } from '../../src/tools/tool.ts'

/** A tool as a stranger would add it: one file, which nothing else names. @param taken what it has done */
export const snapshotGuest = (taken: number[], until: Promise<void> = Promise.resolve()) =>
  defineTool({
    name: 'snapshot_guest',
    title: 'Take a snapshot',
    description: 'Takes a snapshot of a guest.',
    tier: 'yellow',
    timeoutMs: 10_000,
    input: z.strictObject({ vmid: z.int().describe('The guest’s id.'), note: z.string().optional() }),
    touches: [{ kind: 'create', on: 'guest' }],
    effects: ({ vmid }, world) => [
      {
        kind: 'create',
        on: 'guest',
        target: guestTarget({ vmid }, world),
        sentence: `A snapshot of ${vmid} is taken.`,
      },
    ],
    ending: ({ vmid }) => ({ look: `Look at the snapshots of ${vmid}.` }),
    async run({ vmid }) {
      await until
      taken.push(vmid)
      return { text: `Took a snapshot of ${vmid}.`, summary: 'taken' }
    },
  })
