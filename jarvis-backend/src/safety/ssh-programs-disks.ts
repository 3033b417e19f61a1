import type { Grammar } from './ssh-grammar.ts'
import { device, list, number, size, text, word } from './ssh-patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const none: Grammar = {}

const smartLogs =
  /^(?:error|selftest|xerror|xselftest|selective|directory|background|devstat|ssd|scttemp|scttempsts|scttemphist|scterc)$/
const lvm: Grammar = {
  flags: 'av',
  words: long('all noheadings segments nosuffix'),
  values: {
    '-o': list,
    '--options': list,
    '--units': /^[a-zA-Z]$/,
    '-O': list,
    '--sort': list,
    '--reportformat': word,
  },
  rest: /^[A-Za-z0-9/][\w./+-]*$/,
}
const lvmDisplay: Grammar = { flags: 'cmv', rest: /^[A-Za-z0-9/][\w./+-]*$/ }
const nvme: Grammar = {
  words: ['-H', '--human-readable'],
  values: { '-o': /^(?:normal|json)$/, '--output-format': /^(?:normal|json)$/, '-e': number, '--log-entries': number },
  operands: [device],
}

/** Programs that tell about disks, what is on them and where it is mounted. */
export const diskPrograms: Readonly<Record<string, Grammar>> = {
  df: {
    dashDash: true,
    flags: 'hTiklmaPH',
    words: long('human-readable print-type inodes all local portability si total no-sync'),
    values: { '-t': word, '--type': word, '-x': word, '--exclude-type': word, '-B': size, '--block-size': size },
    optional: { '--output': /^[a-z,]+$/ },
    rest: 'path',
  },
  lsblk: {
    flags: 'fabdJplmtnSOPrsDzN',
    words: long(
      'fs all bytes nodeps json paths list topology noheadings scsi output-all pairs raw inverse discard perms merge zoned',
    ),
    values: { '-o': list, '--output': list, '-e': list, '-I': list, '-x': word, '--sort': word },
    rest: device,
  },
  blkid: { values: { '-o': /^(?:full|value|list|device|udev|export)$/, '-s': word }, rest: device },
  smartctl: {
    flags: 'aiHxAcj',
    words: long('all info health xall attributes capabilities scan scan-open'),
    values: {
      '-d': /^(?:auto|ata|scsi|nvme(?:,\w+)?|sat(?:,\w+)*|usb\w+|megaraid,\d+|cciss,\d+|areca,[\d/]+|3ware,\d+|aacraid,[\d,]+)$/,
      '--device': /^(?:auto|ata|scsi|nvme|sat|megaraid,\d+|cciss,\d+)$/,
      '-l': smartLogs,
      '--log': smartLogs,
      '-n': /^(?:never|sleep|standby|idle)(?:,\d+)?$/,
      '-f': /^(?:old|brief|hex)$/,
    },
    optional: { '--json': /^[a-z]+$/ },
    operands: [device],
    denied: {
      '-s': 'switch features',
      '--smart': 'switch features',
      '--set': 'change settings',
      '-t': 'start a test',
      '--test': 'start a test',
      '-X': 'stop a test',
      '-o': 'switch features',
      '-S': 'switch features',
      '-B': 'read another file',
    },
  },
  nvme: {
    sub: {
      list: { ...nvme, flags: 'v' },
      'list-subsys': nvme,
      'smart-log': nvme,
      'error-log': nvme,
      'id-ctrl': nvme,
      'id-ns': nvme,
      'fw-log': nvme,
      version: none,
    },
  },
  hdparm: { words: ['-I', '-i', '-C', '-g'], rest: device, min: 1, needs: [['-I', '-i', '-C', '-g']] },
  fdisk: { words: ['-l', '--list'], needs: [['-l', '--list']], rest: device },
  sfdisk: { words: ['-l', '--list', '-J', '--json'], needs: [['-l', '--list', '-J', '--json']], rest: device },
  lsscsi: { flags: 'gstlLdHk' },
  multipath: { words: ['-l', '-ll'], needs: [['-l', '-ll']], operands: [word] },
  iscsiadm: {
    values: { '-m': /^session$/, '--mode': /^session$/, '-P': /^[0-2]$/ },
    needs: [['-m', '--mode']],
  },
  dmsetup: {
    sub: { ls: { words: ['--tree'] }, status: { operands: [word] }, info: { words: ['-c'], operands: [word] } },
  },
  mdadm: {
    words: ['--detail', '-D', '--detail-platform', '--scan', '-s'],
    needs: [['--detail', '-D', '--detail-platform']],
    rest: device,
  },
  pvs: lvm,
  vgs: lvm,
  lvs: lvm,
  pvdisplay: lvmDisplay,
  vgdisplay: lvmDisplay,
  lvdisplay: lvmDisplay,
  mount: { flags: 'l', values: { '-t': list } },
  findmnt: {
    flags: 'lJDRnikmsaAPr',
    words: long('list json df noheadings real raw pairs all'),
    values: {
      '-t': list,
      '-o': list,
      '--types': list,
      '--output': list,
      '-T': 'path',
      '--target': 'path',
      '-S': text,
      '-M': 'path',
    },
    rest: text,
    denied: { '-p': 'repeat and never end', '--poll': 'repeat and never end' },
  },
  swapon: {
    flags: 's',
    words: ['--show', '--summary', '--noheadings', '--bytes'],
    needs: [['-s', '--show', '--summary']],
  },
}
