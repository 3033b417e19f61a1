import { usualConfig } from '../src/pve-model/guests/usual-config.ts'
import type { Seeds } from '../src/pve-model/model.ts'
import { gib } from './world.ts'

const figures = { cpuCount: 4, ramBytes: gib, diskBytes: 16 * gib }
const ct = (vmid: number) => usualConfig({ ...figures, cpuCount: 2, vmid, type: 'lxc' })
const vm = (vmid: number) => usualConfig({ ...figures, vmid, type: 'qemu' })

/** Unusual configurations of guests in the small cluster, so that every kind of disk occurs. */
export const fakeSeeds: Seeds = {
  guests: new Map([
    [101, { config: { ...vm(101), scsi0: 'thin:vm-101-disk-0,size=16G' } }],
    [102, { config: { ...vm(102), scsi0: 'nas:102/vm-102-disk-0.raw,size=16G', agent: '0' } }],
    [103, { config: { ...vm(103), scsi0: 'nas:103/vm-103-disk-0.qcow2,size=16G' } }],
    [201, { config: { ...ct(201), protection: '1' } }],
    [202, { config: { ...ct(202), mp0: '/mnt/photos,mp=/photos' } }],
  ]),
  media: [
    { volid: 'local:iso/debian-13.2.0-amd64-netinst.iso', kind: 'iso', bytes: 0.7 * gib },
    { volid: 'local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst', kind: 'vztmpl', bytes: 0.12 * gib },
  ],
  pools: ['jarvis-drill'],
}
