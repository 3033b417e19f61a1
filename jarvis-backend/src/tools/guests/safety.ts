import type { PveApi } from 'homelab-ports/ports'
import { oneLine } from '../../homelab/format.ts'
import { leftOf } from '../../homelab/operations/left-of.ts'
import { type Safety, safetyKeptMs, safetyNote, takeSafety } from '../../homelab/operations/safety-snapshot.ts'
import type { Place } from '../../homelab/pve/guest.ts'
import type { HomelabPorts } from '../homelab/homelab-tool.ts'
import type { Preview, ToolContext, ToolOutput } from '../tool.ts'
import { advice } from './guest-tool.ts'

/** The card's words about the snapshot that is taken before a change. They are appended to the preview's `then`. */
export function safetyWords(safety: Safety | undefined): string {
  if (safety === undefined) return ''
  return safety.name === undefined
    ? `; no snapshot is taken before: ${safety.because}`
    : `; before it the snapshot ${safety.name} is taken, without RAM, and deleted after 24 h`
}

/** Announces that JARVIS deletes the snapshot later. */
export const laterOf = (api: Pick<PveApi, 'now'>, vmid: number, safety: Safety | undefined): Pick<Preview, 'later'> =>
  safety?.name === undefined
    ? {}
    : {
        later: {
          toolName: 'delete_snapshot',
          input: { vmid, name: safety.name, description: safetyNote },
          at: api.now() + safetyKeptMs,
          sentence: `JARVIS deletes the snapshot ${safety.name} after 24 h.`,
        },
      }

/**
 * Takes the snapshot that the card named. `failed`: the snapshot could not be taken, so nothing may be changed. @throws JarvisError as `runTask`
 * does
 */
export async function takenBefore(
  { api }: Pick<HomelabPorts, 'api'>,
  place: Place,
  context: ToolContext,
): Promise<{ name?: string } | { failed: ToolOutput }> {
  const name = context.preview?.later?.input.name
  if (typeof name !== 'string') return {}
  context.onProgress(`Taking the snapshot ${name}`)
  const { ok, exitStatus, upid } = await takeSafety(api, { place, name }, context.signal)
  if (ok) return { name }
  const said = oneLine(exitStatus, 200)
  const left = upid === undefined ? '' : ` ${await leftOf(api, place, context.signal)}`
  const text = `${place.vmid}: the snapshot before the change failed, so the change was not made: "${said}".${left} ${advice(said, upid !== undefined)}`
  return { failed: { text, summary: `No snapshot, nothing changed: ${oneLine(said, 100)}`, isError: true } }
}
