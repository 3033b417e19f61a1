import { describe, expect, test } from 'vitest'
import { dangersIn, disksOf, type GuestConfig, leaksIn, pulledNets, readConfigText } from './guest-config.ts'

const vm: GuestConfig = {
  scsi0: 'thin:vm-101-disk-0,size=32G',
  ide2: 'none,media=cdrom',
  net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=1',
  serial0: 'socket',
}
const ct: GuestConfig = {
  rootfs: 'zfs:subvol-104-disk-0,size=8G',
  net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=dhcp,type=veth',
  unprivileged: '1',
}

test('a backup’s text gives the guest as it was, without its snapshots and comments', () => {
  const text = '#a note: here\nmemory: 2048\nnet0: virtio=AA,bridge=vmbr0\n\n[before]\nargs: -foo\n'
  expect(readConfigText(text)).toEqual({ memory: '2048', net0: 'virtio=AA,bridge=vmbr0' })
})

test('every card is given again with its cable pulled and without its address', () => {
  expect(pulledNets('vm', { ...vm, net1: 'e1000=BC:24:11:00:00:02,bridge=vmbr1,link_down=0,tag=5' })).toEqual({
    net0: 'virtio,bridge=vmbr0,firewall=1,link_down=1',
    net1: 'e1000,bridge=vmbr1,tag=5,link_down=1',
  })
  expect(pulledNets('ct', ct)).toEqual({ net0: 'name=eth0,bridge=vmbr0,ip=dhcp,type=veth,link_down=1' })
})

describe('what must not be made', () => {
  test.each<['vm' | 'ct', GuestConfig, string]>([
    ['vm', { args: '-device x' }, 'args'],
    ['vm', { hookscript: 'local:snippets/a.pl' }, 'hookscript'],
    ['vm', { hostpci0: '01:00' }, 'hostpci0'],
    ['vm', { usb0: 'host=1-2' }, 'usb0'],
    ['vm', { virtiofs0: 'share' }, 'virtiofs0'],
    ['vm', { serial1: '/dev/ttyS0' }, 'serial1'],
    ['vm', { parallel0: '/dev/parport0' }, 'parallel0'],
    ['vm', { scsi1: '/dev/disk/by-id/x,size=1T' }, 'scsi1'],
    ['vm', { net1: 'virtio=BC:24:11:00:00:02' }, 'net1'],
    ['vm', { net1: 'virtio=BC:24:11:00:00:02,link_down=1' }, 'net1'],
    ['vm', { template: '1' }, 'template'],
    ['ct', { mp0: '/mnt/photos,mp=/photos' }, 'mp0'],
    ['ct', { dev0: '/dev/dri/card0' }, 'dev0'],
    ['ct', { unprivileged: '0' }, 'privileged'],
    ['ct', { 'lxc.mount.entry': '/a b none bind' }, 'lxc.mount.entry'],
  ])('%s with %j', (type, more, named) => {
    expect(dangersIn(type, { ...(type === 'vm' ? vm : ct), ...more }).join()).toContain(named)
  })
  test('a usual guest may be', () => {
    expect([dangersIn('vm', { ...vm, usb0: 'spice' }), dangersIn('ct', ct)]).toEqual([[], []])
  })
})

describe('what keeps a restored copy from being started', () => {
  const own = { copy: 990_000, mark: 'JARVIS restore drill drl_1 of 101', nets: ['net0'] }
  const alone: GuestConfig = {
    scsi0: 'thin:vm-990000-disk-0,size=32G',
    net0: 'virtio=BC:24:11:00:00:09,bridge=vmbr0,link_down=1',
    description: `${own.mark}\n`,
    onboot: '0',
  }
  test.each<[GuestConfig, string]>([
    [{ net0: 'virtio=BC:24:11:00:00:09,bridge=vmbr0' }, 'net0 is not down'],
    [{ net0: 'virtio=BC:24:11:00:00:09,bridge=vmbr0,link_down=0' }, 'net0 is not down'],
    [{ net0: 'virtio=BC:24:11:00:00:09,bridge=vmbr0,link_down=1,link_down=0' }, 'net0 is not down'],
    [{ net1: 'virtio=BC:24:11:00:00:08,bridge=vmbr0,link_down=1' }, 'net1 was not in the backup'],
    [{ scsi1: 'thin:vm-101-disk-0,size=1G' }, 'scsi1 is a volume of another guest'],
    [{ scsi1: 'thin:vm-9900001-disk-0,size=1G' }, 'scsi1 is a volume of another guest'],
    [{ onboot: '1' }, 'start with its node'],
    [{ description: 'another' }, 'description'],
  ])('%j', (more, named) => {
    expect(leaksIn('vm', { ...alone, ...more }, own).join()).toContain(named)
  })
  test('alone, it may start', () => {
    const files = { scsi1: 'nas:990000/vm-990000-disk-1.qcow2,size=1G', scsi2: 'zfs:base-9-disk-0/vm-990000-disk-2' }
    expect(leaksIn('vm', { ...alone, ...files }, own)).toEqual([])
  })
})

test('a disk says its size, and whether the backup holds it', () => {
  expect(disksOf('vm', { scsi0: 'a:b,size=4M', scsi1: 'a:c,backup=0,size=1T', efidisk0: 'a:d' })).toEqual([
    { key: 'scsi0', volume: 'a:b', bytes: 4 * 1024 ** 2, isInBackup: true },
    { key: 'scsi1', volume: 'a:c', bytes: 1024 ** 4, isInBackup: false },
    { key: 'efidisk0', volume: 'a:d', bytes: undefined, isInBackup: true },
  ])
  expect(disksOf('ct', { mp0: 'a:b,mp=/x,size=1G' })[0]?.isInBackup).toBe(false)
})
