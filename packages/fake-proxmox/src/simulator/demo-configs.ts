import type { Seed } from '../pve-model/guests/files.ts'
import { usualConfig } from '../pve-model/guests/usual-config.ts'
import type { Seeds } from '../pve-model/model.ts'
import { demoGuests, gpu, hotGuest, oldSnapshot } from './demo-lab.ts'

const gib = 1024 ** 3

/** Storages of the guests' disks, by node. A disk file on the NAS can be snapshotted only if it is a VM's qcow2. */
const storageOf: Record<string, string> = {
  Home: 'local-zfs',
  pve: 'nvme-fast',
  agent1: 'local-lvm',
  agent: 'tank-nfs',
}

/** Differences from the usual configuration, by vmid; an empty value removes a key. */
const own: Record<number, Record<string, string>> = {
  100: {
    description: 'Router and firewall. Everything goes through it.',
    net1: 'virtio=BC:24:11:00:64:01,bridge=vmbr1',
    startup: 'order=1,up=60',
    ostype: 'other',
  },
  101: { description: 'Home Assistant OS', usb0: 'host=10c4:ea60', bios: 'ovmf' },
  103: {
    description: 'The NAS: tank, and what is exported from it',
    balloon: '0',
    hostpci0: '0000:01:00.0',
    startup: 'order=2,up=120',
    agent: '',
  },
  104: { description: 'Films and series', mp0: '/tank/media,mp=/media', features: 'nesting=1' },
  105: { description: 'Photos. Originals are on the NAS.', mp0: '/tank/photos,mp=/photos', features: 'nesting=1' },
  121: { protection: '1' },
  122: { mp0: '/tank/downloads,mp=/downloads' },
  [hotGuest.vmid]: { description: 'Cameras', hostpci0: `0000:${gpu.slot},pcie=1`, machine: 'q35' },
  130: { features: 'nesting=1' },
  131: { description: 'Models for JARVIS' },
  141: { agent: '', description: 'Backups of the large guests', scsi0: 'tank-nfs:141/vm-141-disk-0.qcow2,size=32G' },
  142: {
    bios: 'ovmf',
    machine: 'q35',
    ostype: 'win11',
    onboot: '0',
    scsi0: 'tank-nfs:142/vm-142-disk-0.raw,size=128G',
    tpmstate0: 'tank-nfs:142/vm-142-disk-1.raw,size=4M,version=v2.0',
    ide2: 'tank-nfs:iso/virtio-win.iso,media=cdrom,size=708M',
  },
}

/** The configuration files of the demo's guests at the start. */
export function demoSeeds(startedAt: number): Seeds {
  const guests = demoGuests.map((spec): [number, Seed] => {
    const { vmid, node, type, cpuCount, ramTotalBytes, diskTotalBytes, upS } = spec
    const figures = { vmid, cpuCount, ramBytes: ramTotalBytes, diskBytes: diskTotalBytes }
    const storage = storageOf[node] ?? 'tank-nfs'
    const usual = usualConfig({ ...figures, type: type === 'vm' ? 'qemu' : 'lxc' }, storage)
    if (type === 'ct') usual.rootfs = `${volumeOf(storage, vmid)},size=${diskTotalBytes / gib}G`
    const config: Record<string, string> = { ...usual, ...(upS === undefined && { onboot: '0' }), ...own[vmid] }
    for (const [key, value] of Object.entries(config)) if (value === '') delete config[key]
    if (vmid !== oldSnapshot.vmid) return [vmid, { config }]
    const snaptime = Math.floor((startedAt - oldSnapshot.madeMs) / 1000)
    const kept = { description: '', snaptime, parent: undefined, vmstate: undefined, vmstateBytes: 0 }
    const snapshot = { ...kept, name: oldSnapshot.name, config: { ...config, name: spec.name } }
    return [vmid, { config, snapshots: [snapshot], parent: oldSnapshot.name }]
  })
  return {
    guests: new Map(guests),
    media: [
      { volid: 'tank-nfs:iso/debian-13.2.0-amd64-netinst.iso', kind: 'iso', bytes: 0.76 * gib },
      { volid: 'tank-nfs:iso/virtio-win.iso', kind: 'iso', bytes: 0.69 * gib },
    ],
    pools: ['jarvis-drill'],
  }
}

const volumeOf = (storage: string, vmid: number) => {
  if (storage === 'tank-nfs') return `${storage}:${vmid}/vm-${vmid}-disk-0.raw`
  return `${storage}:${storage === 'local-lvm' ? 'vm' : 'subvol'}-${vmid}-disk-0`
}
