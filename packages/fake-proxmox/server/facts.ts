import { type ClusterFacts, createFacts, diskRow, type Row, zfsPool } from '../src/pve-model/nodes/facts.ts'

const gib = 1024 ** 3
const dayMs = 86_400_000

/** Facts of the fake cluster other than its guests. @param now Unix ms */
export function fakeFacts(now: number): ClusterFacts {
  const facts = createFacts((name) => ({
    disks: [
      diskRow('/dev/sda', { model: 'KINGSTON_SA400', size: 120 * gib, type: 'ssd', used: 'LVM', wearout: 9 }),
      diskRow('/dev/sdb', { model: 'WDC_WD40EFRX', size: 4_000 * gib, type: 'hdd', used: 'ZFS' }),
    ],
    smart: new Map<string, Row>([
      [
        '/dev/sda',
        {
          health: 'PASSED',
          type: 'ata',
          attributes: [
            {
              id: '5',
              name: 'Reallocated_Sector_Ct',
              value: '100',
              worst: '100',
              threshold: '10',
              raw: '0',
              fail: '-',
            },
          ],
        },
      ],
    ]),
    pools: [
      zfsPool('rpool', {
        size: 900 * gib,
        alloc: 300 * gib,
        frag: 12,
        device: '/dev/sdb',
        scrubbedAt: now - 50 * dayMs,
      }),
    ],
    thinPools: [
      {
        lv: 'data',
        vg: 'pve',
        lv_size: 100 * gib,
        used: 40 * gib,
        metadata_size: gib,
        metadata_used: Math.round(0.91 * gib),
      },
    ],
    updates: [{ Package: 'libssl3t64', OldVersion: '3.5.1-1', Version: '3.5.4-1', Origin: 'Debian', Arch: 'amd64' }],
    versions: [
      { Package: 'proxmox-ve', Version: '9.1.0', CurrentState: 'Installed', RunningKernel: '6.17.2-1-pve' },
      { Package: 'proxmox-kernel-6.17.2-1-pve-signed', Version: '6.17.2-1', CurrentState: 'Installed' },
      ...(name === 'pve1'
        ? [{ Package: 'proxmox-kernel-6.17.10-1-pve-signed', Version: '6.17.10-1', CurrentState: 'Installed' }]
        : []),
    ],
  }))
  facts.jobs.push(
    { id: 'backup-1', type: 'vzdump', enabled: 1, schedule: '02:00', storage: 'pbs', vmid: '100,101,103,200,201,300' },
    { id: 'backup-2', type: 'vzdump', enabled: 0, schedule: 'sun 03:00', storage: 'nas', vmid: '102,100' },
  )
  const lastS = Math.floor(now / 1000) - 600
  facts.replication.push(
    { id: '100-0', guest: 100, target: 'pve2', schedule: '*/15', last_sync: lastS, last_try: lastS, fail_count: 0 },
    {
      id: '101-0',
      guest: 101,
      target: 'pve3',
      schedule: '*/15',
      last_sync: 0,
      last_try: lastS,
      fail_count: 3,
      error: "command 'zfs send' failed: exit code 1",
      fails: "command 'zfs send' failed: exit code 1",
    },
  )
  facts.firewall = {
    options: { enable: 1, policy_in: 'DROP' },
    rules: [{ type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '8006', source: '10.0.0.0/24' }],
  }
  facts.guestFirewalls.set(100, {
    options: { enable: 1 },
    rules: [
      { type: 'group', action: 'web', enable: 1 },
      { type: 'in', action: 'DROP', enable: 0, comment: 'old\n' },
    ],
  })
  return facts
}

/** The last lines of a node's journal. */
export const fakeJournal = (node: string, now: number): { at: number; line: string }[] =>
  [
    { ago: 7_200, text: 'kernel: Out of memory: Killed process 4242 (kvm)' },
    { ago: 1_800, text: 'pvestatd[912]: storage nas is not online' },
    { ago: 30, text: 'systemd[1]: Started session 12 of user root.' },
  ].map(({ ago, text }) => {
    const at = now - ago * 1000
    return { at, line: `${new Date(at).toISOString().slice(5, 19).replace('T', ' ')} ${node} ${text}` }
  })
