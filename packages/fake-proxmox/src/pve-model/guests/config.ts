import { guestIn, type Model } from '../model.ts'
import { mustBeWritable } from '../quorum.ts'
import { Refusal } from '../refusal.ts'
import { flag, need, onGuest, type Parts, type Route, type Values, whole, wordShape } from '../route.ts'
import { changeConfig, deletedIn, keysIn, needsOf } from './change.ts'
import { fullConfig, nameKey } from './files.ts'
import { shapesOf } from './keys.ts'
import { snapshotNamed } from './snapshots.ts'
import { mustBeFree, work } from './work.ts'

const list = /^[A-Za-z0-9_,; -]*$/
const digest = /^[0-9a-f]{0,40}$/
const more = { delete: list, revert: list, digest }
const seen: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Audit')]

export const configRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: onGuest('/config$'),
    allowed: { current: flag, snapshot: wordShape },
    needs: seen,
    run(model, parts, { current, snapshot }) {
      const guest = guestIn(model, parts)
      const file = model.files.of(guest)
      const digestNow = model.files.digestOf(guest)
      if (snapshot !== undefined) {
        const { config, snaptime, parent } = snapshotNamed(file, snapshot)
        return { ...config, snaptime, ...(parent && { parent }), digest: digestNow }
      }
      const config = fullConfig(guest, file)
      if (current !== '1') {
        for (const [key, value] of file.pending) {
          if (value === undefined) delete config[key]
          else config[key] = value
        }
      }
      // Proxmox writes these keys into the file of each new VM.
      const made = {
        meta: 'creation-qemu=11.0.2,ctime=1760000000',
        vmgenid: `7b0c2a1e-0000-4000-8000-${guest.vmid.toString().padStart(12, '0')}`,
      }
      return { ...(guest.type === 'qemu' && made), ...numbered(config), digest: digestNow }
    },
  },
  {
    method: 'GET',
    pattern: onGuest('/pending$'),
    allowed: {},
    needs: seen,
    run(model, parts) {
      const guest = guestIn(model, parts)
      const file = model.files.of(guest)
      const config = fullConfig(guest, file)
      const keys = [...new Set([...Object.keys(config), ...file.pending.keys()])]
      const rows = keys.map((key) => ({
        key,
        value: config[key],
        pending: file.pending.get(key),
        ...(file.pending.has(key) && file.pending.get(key) === undefined && { delete: 1 }),
      }))
      return [...rows, { key: 'digest', value: model.files.digestOf(guest) }]
    },
  },
  {
    method: 'PUT',
    pattern: onGuest('/config$', 'qemu'),
    allowed: { ...shapesOf('qemu'), ...more, force: flag },
    needs: configNeeds,
    run(model, parts, values) {
      change(model, parts, values)
      return null
    },
  },
  {
    method: 'POST',
    pattern: onGuest('/config$', 'qemu'),
    allowed: { ...shapesOf('qemu'), ...more, force: flag, background_delay: whole },
    needs: configNeeds,
    run(model, parts, values) {
      const { vmid, node } = mayChange(model, parts, values)
      const finish = () => change(model, parts, { ...values, digest: '' })
      return work(model, { node, type: 'qmconfig', vmid, ms: 1_000, finish })
    },
  },
  {
    method: 'PUT',
    pattern: onGuest('/config$', 'lxc'),
    allowed: { ...shapesOf('lxc'), ...more },
    needs: configNeeds,
    run(model, parts, values) {
      change(model, parts, values)
      return null
    },
  },
]

function configNeeds({ type, vmid = '' }: Parts, values: Values) {
  const kind = type === 'lxc' ? 'lxc' : 'qemu'
  return needsOf(kind, vmid, { keys: keysIn(kind, values), deleted: deletedIn(kind, values) })
}

function mayChange(model: Model, parts: Parts, { digest: expected = '' }: Values) {
  const guest = guestIn(model, parts)
  mustBeUnchanged(model, guest, expected)
  mustBeFree(guest)
  return guest
}

function change(model: Model, parts: Parts, values: Values) {
  const guest = mayChange(model, parts, values)
  mustBeWritable(model, guest)
  const { type, vmid } = guest
  const deleted = deletedIn(type, values).map((key) => (key === 'name' || key === 'hostname' ? nameKey(type) : key))
  for (const key of (values.revert ?? '').split(/[,; ]+/)) model.files.of(guestIn(model, parts)).pending.delete(key)
  changeConfig(model, vmid, { keys: keysIn(type, values), deleted })
}

/** @throws Refusal if the file has changed since the caller read it. An empty digest skips the check. */
export function mustBeUnchanged(model: Model, guest: ReturnType<typeof guestIn>, expected: string) {
  if (expected === '' || expected === model.files.digestOf(guest)) return
  throw new Refusal(
    500,
    guest.type === 'qemu'
      ? 'checksum mismatch (file change by other user?)'
      : 'detected modified configuration - file changed by other user? Try again.',
  )
}

const numbers = new Set(
  'onboot protection template cores sockets swap acpi kvm tablet numa unprivileged tty'.split(' '),
)

/** Converts flags and counts to numbers, like Proxmox's answers. A VM's memory stays text. */
function numbered(config: Record<string, string>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, numbers.has(key) ? Number(value) : value]),
  )
}
