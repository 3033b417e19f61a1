import { plainNetwork } from '../pve-model/network/files.ts'
import { type ClusterFacts, createFacts, diskRow, type NodeFacts, type Row, zfsPool } from '../pve-model/nodes/facts.ts'
import { demoGuests, demoNodes, demoStorages, gib, neverBackedUp, onBackupServer } from './demo-lab.ts'
import { kernel } from './facts.ts'

const dayMs = 86_400_000
const mib = 1024 ** 2

/** The root disk of each node: its model, and its remaining life in percent. */
const rootDisks: Record<string, { model: string; wearout: number }> = {
  Home: { model: 'Samsung_SSD_870_EVO_120GB', wearout: 83 },
  pve: { model: 'CT120BX500SSD1', wearout: 71 },
  agent1: { model: 'KINGSTON_SA400S37120G', wearout: 64 },
  agent: { model: 'TS64GMTS430S', wearout: 92 },
}
/** The disks of the pools. The disk of `nvme-fast` is worn by the cameras' recordings, and its pool was not scrubbed since spring. */
const poolDisks: Record<string, { model: string; wearout: number; frag: number; scrubbedDaysAgo: number }> = {
  'Home/local-zfs': { model: 'WD_Red_SN700_1000GB', wearout: 88, frag: 18, scrubbedDaysAgo: 17 },
  'agent1/local-zfs': { model: 'CT500P3SSD8', wearout: 95, frag: 3, scrubbedDaysAgo: 12 },
  'pve/nvme-fast': { model: 'Samsung_SSD_970_EVO_Plus_2TB', wearout: 14, frag: 61, scrubbedDaysAgo: 96 },
}

/** Facts of the demo cluster other than its guests. @param startedAt Unix ms */
export function demoFacts(startedAt: number): ClusterFacts {
  const facts = createFacts((name) => nodeFacts(name, startedAt))
  const inJob = (isServer: boolean) =>
    demoGuests
      .filter(({ vmid }) => onBackupServer.has(vmid) === isServer && !neverBackedUp.has(vmid))
      .map(({ vmid }) => vmid)
      .join(',')
  const job = { type: 'vzdump', mode: 'snapshot', compress: 'zstd' }
  facts.jobs.push(
    { ...job, id: 'backup-nas', enabled: 1, schedule: '04:00', storage: 'tank-nfs', vmid: inJob(false) },
    { ...job, id: 'backup-pbs', enabled: 1, schedule: '04:30', storage: 'pbs-main', vmid: inJob(true) },
    // In the demo's story, this job was switched off while the lab was rebuilt, and nobody switched it on again.
    { ...job, id: 'backup-lab', enabled: 0, schedule: 'sat 06:00', storage: 'tank-nfs', vmid: '142' },
  )
  const lastS = Math.floor(startedAt / 1000) - 600
  facts.replication.push({
    id: '113-0',
    guest: 113,
    target: 'agent1',
    schedule: '*/15',
    last_sync: lastS,
    last_try: lastS,
    fail_count: 0,
  })
  facts.firewall = {
    options: { enable: 1, policy_in: 'DROP', policy_out: 'ACCEPT' },
    rules: [
      rule('ACCEPT', { source: '10.0.4.0/24', dport: '8006', proto: 'tcp', comment: 'web interface from home' }),
      rule('ACCEPT', { source: '10.0.4.0/24', macro: 'SSH' }),
      rule('ACCEPT', { source: '10.0.4.0/24', macro: 'Ping' }),
    ],
  }
  // Growth by the cameras' recordings and a growing photo library, bytes a day.
  facts.growth.set('nvme-fast', 14.5 * gib)
  facts.growth.set('tank-nfs', 21 * gib)
  facts.guestFirewalls.set(113, {
    options: { enable: 1, policy_in: 'DROP' },
    rules: [rule('ACCEPT', { source: '10.0.4.112', dport: '8080', proto: 'tcp', comment: 'caddy alone' })],
  })
  return facts
}

const rule = (action: string, match: Row): Row => ({ type: 'in', action, enable: 1, ...match })

function nodeFacts(name: string, startedAt: number): Partial<NodeFacts> {
  const node = demoNodes.find((spec) => spec.name === name)
  const root = rootDisks[name]
  if (node === undefined || root === undefined) return {}
  const rootDisk = diskRow('/dev/sda', {
    ...root,
    size: Math.round(node.rootTotalBytes * 1.1),
    type: 'ssd',
    used: 'BIOS boot',
  })
  const own = demoStorages.flatMap((storage) => {
    const disk = storage.node === name ? poolDisks[`${name}/${storage.name}`] : undefined
    return disk === undefined ? [] : [{ storage, disk }]
  })
  return {
    network: plainNetwork(node.ip),
    disks: [
      rootDisk,
      ...own.map(({ storage, disk: { model, wearout } }, index) =>
        diskRow(`/dev/nvme${index}n1`, { model, wearout, size: storage.totalBytes, type: 'nvme', used: 'ZFS' }),
      ),
    ],
    smart: new Map<string, Row>([
      ['/dev/sda', { health: 'PASSED', type: 'ata', attributes: ataRows(root.wearout) }],
      ...own.map(({ disk }, index): [string, Row] => [
        `/dev/nvme${index}n1`,
        { health: 'PASSED', type: 'text', text: nvmeText(disk.wearout) },
      ]),
    ]),
    pools: own.map(({ storage, disk }, index) =>
      zfsPool(storage.name, {
        size: storage.totalBytes,
        alloc: storage.usedBytes,
        frag: disk.frag,
        device: `/dev/nvme${index}n1p1`,
        scrubbedAt: startedAt - disk.scrubbedDaysAgo * dayMs,
      }),
    ),
    // Many small snapshots fill the metadata long before the data.
    thinPools:
      name === 'agent1'
        ? [
            {
              vg: 'pve',
              lv: 'data',
              lv_size: 60 * gib,
              used: 37 * gib,
              metadata_size: 512 * mib,
              metadata_used: 466 * mib,
            },
          ]
        : [],
    updates: [
      update('pve-manager', { from: '9.0.11', to: '9.0.17' }, 'Proxmox'),
      update('libssl3t64', { from: '3.5.1-1', to: '3.5.4-1~deb13u1' }, 'Debian'),
      update('proxmox-backup-client', { from: '4.0.16-1', to: '4.0.20-1' }, 'Proxmox'),
    ],
    versions: [
      { Package: 'proxmox-ve', Version: '9.0.0', CurrentState: 'Installed', RunningKernel: kernel },
      { Package: 'pve-manager', Version: '9.0.11', CurrentState: 'Installed', ManagerVersion: '9.0.11' },
      { Package: `proxmox-kernel-${kernel}-signed`, Version: '6.14.11-4', CurrentState: 'Installed' },
      // A newer kernel that is installed and waits for a reboot of this node, which has a long uptime.
      ...(name === 'pve'
        ? [{ Package: 'proxmox-kernel-6.14.11-6-pve-signed', Version: '6.14.11-6', CurrentState: 'Installed' }]
        : []),
    ],
  }
}

const update = (Package: string, version: { from: string; to: string }, Origin: string): Row => ({
  Package,
  OldVersion: version.from,
  Version: version.to,
  Origin,
  Arch: 'amd64',
  Section: 'admin',
  Priority: 'optional',
  Title: Package,
  Description: Package,
})

const ataRows = (wearout: number): Row[] => [
  attribute(5, 'Reallocated_Sector_Ct', { value: 100, raw: '0' }),
  attribute(9, 'Power_On_Hours', { value: 94, raw: '26514' }),
  attribute(177, 'Wear_Leveling_Count', { value: wearout, raw: String(100 - wearout) }),
]
const attribute = (id: number, name: string, { value, raw }: { value: number; raw: string }): Row => ({
  id: String(id),
  name,
  value: String(value),
  worst: String(value),
  threshold: '10',
  raw,
  fail: '-',
  flags: '-O--CK',
})
const nvmeText = (wearout: number) =>
  [
    '',
    'SMART/Health Information (NVMe Log 0x02)',
    'Critical Warning:                   0x00',
    'Available Spare:                    100%',
    `Percentage Used:                    ${100 - wearout}%`,
    'Media and Data Integrity Errors:    0',
    '',
  ].join('\n')
