import type { HostGuest } from '../host.ts'
import { guestIn, type Model } from '../model.ts'
import { misfit, Refusal } from '../refusal.ts'
import { anything, listOfAnything, need, onGuest, type Route, whole } from '../route.ts'
import { disksIn } from './volumes.ts'

/** The time from a guest's start until its agent answers, ms. */
const bootsInMs = 12_000
const onVm = (rest: string) => onGuest(`/agent/${rest}$`, 'qemu')
const audits: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted')]

export const agentRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: onVm('ping'),
    allowed: {},
    needs: audits,
    run(model, parts) {
      mustAnswer(model, guestIn(model, parts))
      return { result: {} }
    },
  },
  {
    method: 'GET',
    pattern: onVm('get-osinfo'),
    allowed: {},
    needs: audits,
    run(model, parts) {
      const guest = guestIn(model, parts)
      mustAnswer(model, guest)
      return { result: isWindows(model, guest) ? windows : debian }
    },
  },
  {
    method: 'GET',
    pattern: onVm('get-fsinfo'),
    allowed: {},
    needs: audits,
    run(model, parts) {
      const guest = guestIn(model, parts)
      mustAnswer(model, guest)
      const [mountpoint, type] = isWindows(model, guest) ? ['C:\\', 'NTFS'] : ['/', 'ext4']
      const [disk] = disksIn('qemu', model.files.of(guest).config)
      const total = disk?.bytes ?? guest.diskBytes
      return {
        result: [
          { name: 'sda1', mountpoint, type, disk: [], 'total-bytes': total, 'used-bytes': Math.round(total * 0.4) },
        ],
      }
    },
  },
  {
    method: 'POST',
    pattern: onVm('exec'),
    allowed: { command: listOfAnything, 'input-data': anything },
    required: ['command'],
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.GuestAgent.Unrestricted')],
    run(model, parts, { command = '', 'input-data': input = '' }) {
      const guest = guestIn(model, parts)
      mustAnswer(model, guest)
      const pid = 1_000 + model.runs.size
      model.runs.set(`${guest.vmid}/${pid}`, ranAs(guest, command.split('\0'), input))
      return { pid }
    },
  },
  {
    method: 'GET',
    pattern: onVm('exec-status'),
    allowed: { pid: whole },
    required: ['pid'],
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.GuestAgent.Unrestricted')],
    run(model, parts, { pid = '' }) {
      const guest = guestIn(model, parts)
      mustAnswer(model, guest)
      const ran = model.runs.get(`${guest.vmid}/${pid}`)
      if (ran === undefined) throw new Refusal(500, `Agent error: PID ${pid} does not exist`)
      const said = { ...(ran.out !== '' && { 'out-data': ran.out }), ...(ran.err !== '' && { 'err-data': ran.err }) }
      return { exited: 1, exitcode: ran.code, ...said }
    },
  },
]

function mustAnswer({ host, files, faults }: Model, guest: HostGuest) {
  if (guest.status === 'stopped') throw new Refusal(500, `VM ${guest.vmid} is not running`)
  if (!/^(1|enabled=1)/.test(files.of(guest).config.agent ?? ''))
    throw new Refusal(500, 'No QEMU guest agent configured')
  const isBooted = host.since(guest.startedAt) >= bootsInMs
  if (guest.status === 'running' && isBooted && !faults.silentAgents.has(guest.vmid)) return
  throw new Refusal(500, 'QEMU guest agent is not running')
}

const isWindows = ({ files }: Model, guest: HostGuest) => files.of(guest).config.ostype?.startsWith('win') === true
const debian = {
  id: 'debian',
  name: 'Debian GNU/Linux',
  'pretty-name': 'Debian GNU/Linux 13 (trixie)',
  version: '13 (trixie)',
  'version-id': '13',
  'kernel-release': '6.12.57+deb13-amd64',
  'kernel-version': '#1 SMP',
  machine: 'x86_64',
}
const windows = {
  id: 'mswindows',
  name: 'Microsoft Windows',
  'pretty-name': 'Windows 11 Pro',
  version: 'Microsoft Windows 11',
  'version-id': '11',
  'kernel-release': '26100',
  'kernel-version': '10.0',
  machine: 'x86_64',
}

/** Returns the output of a few known programs; others are not installed. @throws Refusal if the command is empty */
function ranAs({ name }: HostGuest, [program = '', ...args]: string[], input: string) {
  if (program === '') throw misfit({ command: 'no program' })
  const prints: Record<string, string> = {
    hostname: `${name}\n`,
    echo: `${args.join(' ')}\n`,
    cat: input,
    uname: 'Linux\n',
    whoami: 'root\n',
    true: '',
  }
  const out = prints[program]
  if (out !== undefined) return { code: 0, out, err: '' }
  return program === 'false' ? { code: 1, out: '', err: '' } : { code: 127, out: '', err: `${program}: not found\n` }
}
