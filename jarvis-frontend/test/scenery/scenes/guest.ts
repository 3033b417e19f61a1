import type { Change, ToolInfo } from 'protocol'
import type { Scene } from '../scene.ts'
import { changesScene } from './changes.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A guest with everything that its page can show, a guest that this person may not read, and a guest that no longer exists. */
export function guestScene(now: number): Scene {
  const scene = changesScene(now)
  const [first] = scene.changes ?? []
  if (first === undefined) throw new Error('the scene has changes')
  const change = (id: string, vmid: number, more: Partial<Change> & Pick<Change, 'sentence'>): Change => ({
    ...first,
    id,
    target: {
      kind: 'guest',
      id: `vm/${vmid}`,
      vmid,
      type: 'vm',
      name: vmid === 105 ? 'immich' : 'oldbox',
      node: 'pve',
    },
    state: 'made',
    undo: {
      kind: 'none',
      sentence: 'A restart is over, and what stood in its memory alone before it is not kept anywhere.',
    },
    ...more,
  })
  const power = (name: string, action: 'start' | 'stop' | 'restart'): ToolInfo => ({
    name,
    description: name,
    tier: 'red',
    inputSchema: {},
    effects: [{ kind: 'power', on: 'guest', action, type: 'vm' }],
  })
  const snapshot = (name: string): ToolInfo => ({ ...power(name, 'stop'), effects: [{ kind: 'create', on: 'guest' }] })
  const wave = (size: number) => Array.from({ length: 1_440 }, (_, index) => size * (0.6 + 0.3 * Math.sin(index / 60)))
  return {
    ...scene,
    tools: [
      power('stop_vm', 'stop'),
      power('restart_vm', 'restart'),
      ...['take_snapshot', 'rollback_snapshot', 'delete_snapshot', 'back_up_guest'].map(snapshot),
      ...['set_guest_config', 'migrate_guest'].map(snapshot),
    ],
    classify: (toolName, input) => {
      const { memory } = (input.set ?? {}) as Record<string, string>
      if (memory === 'much')
        return { tier: 'yellow', rule: 'invalid_arguments', reason: 'set: memory must be MiB, a whole number from 16.' }
      if (input.target === 'agent')
        return { tier: 'red', rule: 'invalid_arguments', reason: 'vmid: 105 uses devices of pve and cannot move.' }
      if (toolName === 'back_up_guest')
        return { tier: 'yellow', rule: 'invalid_arguments', reason: 'storage: pbs-main has no room.' }
      if (toolName !== 'set_guest_config') return undefined
      const undo = { kind: 'call', sentence: 'Its memory goes back to 8 GiB.' } as const
      return { tier: 'red', rule: 'base', reason: 'It asks.', preview: { then: 'memory: 4096', undo, mayGoBack: true } }
    },
    snapshots: {
      '105/before-1119': { cores: '2', memory: '8192', name: 'immich', onboot: '1', cipassword: '[redacted]' },
    },
    samples: {
      from: now - day,
      stepMs: minute,
      items: [
        {
          name: 'guest/105',
          values: { cpuRatio: wave(0.2), ramRatio: wave(0.9), netBps: wave(90_000), diskBps: wave(4e6) },
        },
      ],
    },
    changes: [
      change('memory', 105, {
        sentence: 'The memory of VM 105 "immich" is 16 GiB.',
        at: now - 16 * hour,
        undo: { kind: 'call', sentence: 'Its memory goes back to 12 GiB.' },
      }),
      change('stuck', 105, {
        sentence: 'The cores of VM 105 "immich" are 2.',
        at: now - 20 * hour,
        toolInput: { vmid: 105, set: { cores: '2' } },
        undo: { kind: 'call', sentence: 'Its cores go back to 6.' },
        problem: 'cores is 4 now, not 2. Nothing was changed.',
      }),
      change('restarted', 105, { sentence: 'VM 105 "immich" restarts.', at: now - 12 * day }),
      change('armed', 105, {
        sentence: 'The CPU limit of VM 105 "immich" is 2 cores.',
        at: now - minute,
        state: 'armed',
        goesBackAt: now + 9 * minute,
        undo: { kind: 'call', sentence: 'cpulimit of 105 goes back to none.' },
      }),
      change('destroyed', 199, {
        sentence: 'VM 199 "oldbox" is destroyed with its disks.',
        toolName: 'destroy_guest',
        at: now - 50 * day,
      }),
    ],
    guests: {
      105: {
        vmid: 105,
        config: {
          digest: 'a'.repeat(40),
          values: {
            cores: '4',
            memory: '16384',
            name: 'immich',
            scsi0: 'nvme-fast:vm-105-disk-0,size=320G',
            net0: 'virtio=BC:24:11:00:00:05,bridge=vmbr0',
            cipassword: '[redacted]',
          },
          pending: { memory: '8192' },
        },
        snapshots: { items: [{ name: 'before-1119', takenAt: now - 18 * day, hasRam: false, description: 'by mira' }] },
        backups: {
          total: 70,
          isPartial: false,
          items: Array.from({ length: 70 }, (_, index) => ({
            volumeId: `pbs-main:backup/vm/105/${index}`,
            vmid: 105,
            storage: 'pbs-main',
            createdAt: now - (index + 1) * day - 7 * hour,
            sizeBytes: 17 * 1024 ** 3,
            format: 'pbs-vm',
            ...(index > 0 && { verification: 'ok' as const }),
          })),
        },
        proof: {
          id: 'drl_1',
          vmid: 105,
          type: 'vm',
          name: 'immich',
          archive: 'pbs-main:backup/vm/105/1',
          level: 5,
          verdict: 'proven',
          at: now - 12 * day,
          archiveAt: now - 13 * day,
          restoreMs: 372_000,
          bootMs: 74_000,
          system: 'Debian 12',
          notProven: ['immich itself was not asked'],
        },
        leansOn: ['What keeps data in it may fail: by its tag it is a database'],
        groups: [{ name: 'photos', others: [{ vmid: 121, name: 'postgres', status: 'running' }] }],
        isOwn: false,
        missing: [],
        otherBackups: [],
      },
      104: {
        vmid: 104,
        config: null,
        snapshots: null,
        backups: { items: [], total: 0, isPartial: false },
        leansOn: [],
        groups: [],
        otherBackups: [],
        isOwn: false,
        missing: ['its configuration not visible to this token (it needs VM.Audit)'],
      },
    },
  }
}
